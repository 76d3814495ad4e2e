/** What a page draws of a session. Immutable; parts that did not change keep their identity. */

import {
  type ApprovalView,
  approvalView,
  latestRun,
  type Message,
  openRun,
  type QueuedView,
  queueView,
  type RunSummary,
  type SessionState,
  type SessionView,
} from "@holdfast/protocol";
import { reuse } from "../reuse.ts";
import { type Replica, viewOf } from "./replica.ts";

export interface SessionSnapshot {
  /** `gone`: it was deleted. `refused`: the host says no, and `refusal` why. */
  readonly phase: "opening" | "open" | "gone" | "refused";
  readonly refusal: { readonly code: string; readonly message: string } | null;
  readonly seq: number;
  /** Null until it is open, as are all below that may be. */
  readonly session: SessionView | null;
  readonly state: SessionState | null;
  readonly run: RunSummary | null;
  readonly messages: readonly Message[];
  /** Messages before these that were not loaded. */
  readonly earlier: number;
  readonly queue: readonly QueuedView[];
  /** Questions that wait for an answer, the oldest first. */
  readonly approvals: readonly ApprovalView[];
  /** What happened since this device last looked, until it is told that it was seen. */
  readonly away: Away | null;
  /** The host's clock when it was last heard, for words such as "2 minutes ago". */
  readonly now: string | null;
  /** What is shown is not what the host has, and reading it anew did not help. */
  readonly drift: Drift | null;
}

export interface Away {
  /** The last event that was seen, and the last that there was on return. */
  readonly fromSeq: number;
  readonly toSeq: number;
  /** The first message that began meanwhile; null when only the last one went on. */
  readonly firstMessageId: string | null;
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
  queue: [],
  approvals: [],
  away: null,
  now: null,
  drift: null,
};

export interface Around {
  readonly phase: SessionSnapshot["phase"];
  readonly refusal: SessionSnapshot["refusal"];
  readonly away: { readonly fromSeq: number; readonly toSeq: number } | null;
  readonly now: string | null;
  readonly drift: Drift | null;
}

export function snapshotOf(
  last: SessionSnapshot,
  replica: Replica | null,
  around: Around,
): SessionSnapshot {
  if (replica === null) return { ...last, ...around, away: null };
  const { state, messages, earlier } = replica;
  const session = viewOf(replica);
  const epoch = state.run?.epoch ?? 0;
  return {
    ...around,
    ...{ seq: state.seq, state, messages, earlier },
    session: reuse(last.session, session),
    run: reuse(last.run, latestRun(state, { epoch })),
    queue: reuse(last.queue, queueView(state)),
    approvals: reuse(last.approvals, openApprovals(state)),
    away: around.away === null ? null : reuse(last.away, awayOf(around.away, messages)),
  };
}

function openApprovals(state: SessionState): readonly ApprovalView[] {
  const asked = openRun(state)?.approvals ?? [];
  return asked
    .filter(({ decision, withdrawn }) => decision === null && !withdrawn)
    .map((open) => approvalView(open, asked));
}

function awayOf(span: NonNullable<Around["away"]>, messages: readonly Message[]): Away {
  const first = messages.find(({ seq }) => seq > span.fromSeq);
  return { ...span, firstMessageId: first?.id ?? null };
}
