/** The session data that a page draws. Immutable; unchanged parts keep their identity. */

import {
  type ApprovalView,
  approvalView,
  latestRun,
  type Message,
  openRun,
  type QueuedView,
  queueView,
  type Receipt,
  type RunSummary,
  type SessionState,
  type SessionView,
} from "@holdfast/protocol";
import { reuseEqualParts } from "../reuse-equal-parts.ts";
import { type Replica, viewOf } from "./replica.ts";

export interface SessionSnapshot {
  /** `gone`: the host removed the session. `refused`: the host refused, with the reason in `refusal`. */
  readonly phase: "opening" | "open" | "gone" | "refused";
  readonly refusal: { readonly code: string; readonly message: string } | null;
  readonly seq: number;
  /** Null until the session is open, like all nullable fields below. */
  readonly session: SessionView | null;
  readonly state: SessionState | null;
  readonly run: RunSummary | null;
  readonly messages: readonly Message[];
  readonly earlier: number;
  /** Receipts since the first loaded message, in the order of the journal. */
  readonly receipts: readonly Receipt[];
  readonly queue: readonly QueuedView[];
  readonly approvals: readonly ApprovalView[];
  /** The events since this device's last visit, until they are marked as seen. */
  readonly away: Away | null;
  /** The host's clock at its last message, for texts such as "2 minutes ago". */
  readonly now: string | null;
  /** Set when the replica differs from the host, even after it was read again. */
  readonly drift: Drift | null;
}

export interface Away {
  /** The last event seen, and the last event on return. */
  readonly fromSeq: number;
  readonly toSeq: number;
}

export interface Drift {
  readonly what: "events" | "state";
  readonly seq: number;
}

export const opening: SessionSnapshot = {
  phase: "opening",
  refusal: null,
  seq: 0,
  session: null,
  state: null,
  run: null,
  messages: [],
  earlier: 0,
  receipts: [],
  queue: [],
  approvals: [],
  away: null,
  now: null,
  drift: null,
};

export interface Around {
  readonly phase: SessionSnapshot["phase"];
  readonly refusal: SessionSnapshot["refusal"];
  readonly away: Away | null;
  readonly now: string | null;
  readonly drift: Drift | null;
}

export function snapshotOf(
  last: SessionSnapshot,
  replica: Replica | null,
  around: Around,
): SessionSnapshot {
  if (replica === null) return { ...last, ...around, away: null };
  const { state, messages, earlier, receipts } = replica;
  const session = viewOf(replica);
  const epoch = state.run?.epoch ?? 0;
  return {
    ...around,
    seq: state.seq,
    state,
    messages,
    earlier,
    receipts,
    session: reuseEqualParts(last.session, session),
    run: reuseEqualParts(last.run, latestRun(state, { epoch })),
    queue: reuseEqualParts(last.queue, queueView(state)),
    approvals: reuseEqualParts(last.approvals, openApprovals(state)),
    away: reuseEqualParts(last.away, around.away),
  };
}

function openApprovals(state: SessionState): readonly ApprovalView[] {
  const asked = openRun(state)?.approvals ?? [];
  return asked
    .filter(({ decision, withdrawn }) => decision === null && !withdrawn)
    .map((open) => approvalView(open, asked));
}
