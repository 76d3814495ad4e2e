/** Folded state at rest: what a base holds, with the version of the fold that made it. */

import { HostError } from "./errors.ts";
import type { Json } from "./json.ts";
import { tellsInput } from "./session.ts";

/**
 * Raised when `SessionState` or `Transcript` changes its shape below the top. Whoever raises it says
 * in `unpackFolded` how the older shape becomes the newer one: what lies below a trim is in no event
 * any more and cannot be folded again.
 */
export const foldVersion = 5;

export function packFolded(folded: object): string {
  return JSON.stringify({ foldVersion, folded });
}

/** `empty` fills in what an older version did not know at the top. */
export function unpackFolded<T extends object>(text: string, empty: T): T {
  const packed = JSON.parse(text) as { foldVersion: number; folded: Partial<T> };
  if (packed.foldVersion > foldVersion) {
    throw new HostError(
      "data_too_new",
      "This session was folded by a newer Holdfast. Start that version, or a newer one.",
    );
  }
  let { folded } = packed;
  if (packed.foldVersion < 2) folded = sinceTwo(folded);
  if (packed.foldVersion < 3) folded = sinceThree(folded);
  if (packed.foldVersion < 4) folded = sinceFour(folded);
  if (packed.foldVersion < 5) folded = sinceFive(folded);
  return { ...empty, ...folded };
}

/** Since 2 a run knows every agent session that took it, and a runtime its agent's last message. */
function sinceTwo<T extends object>(folded: Partial<T>): Partial<T> {
  const { runs, runtime } = folded as { runs?: unknown; runtime?: object };
  return {
    ...folded,
    ...(Array.isArray(runs) ? { runs: runs.map(withTaken) } : {}),
    ...(runtime === undefined ? {} : { runtime: { lastMessageId: null, ...runtime } }),
  };
}

function withTaken({ agentSessionId, ...run }: { readonly agentSessionId?: string | null }) {
  const by = agentSessionId ?? null;
  return { taken: by === null ? [] : [{ by, toldFrom: null }], ...run };
}

type Old = Readonly<Record<string, unknown>>;

/**
 * Since 3 a part knows its place and times, a message its end, a receipt its time, and a run what it
 * did last. A part of before stands where its message does: nobody knows better.
 */
function sinceThree<T extends object>(folded: Partial<T>): Partial<T> {
  const { messages, receipts, run } = folded as {
    readonly messages?: readonly Old[];
    readonly receipts?: readonly Old[];
    readonly run?: Old | null;
  };
  return {
    ...folded,
    ...(messages === undefined ? {} : { messages: messages.map(withPlaces) }),
    ...(receipts === undefined ? {} : { receipts: receipts.map((one) => ({ ms: null, ...one })) }),
    ...(run == null ? {} : { run: { happening: null, ...run } }),
  };
}

function withPlaces({ contentParts, ...message }: Old): Old {
  const { seq, status } = message;
  const times = { startedAt: null, endedAt: null };
  const parts = contentParts as readonly Old[];
  return {
    endSeq: status === "running" ? null : seq,
    ...message,
    contentParts: parts.map((part) => ({ seq, ...(part.type === "tool" ? times : {}), ...part })),
  };
}

/** Since 4 a run knows its last event of its own; of an older one the last event is all that is known. */
function sinceFour<T extends object>(folded: Partial<T>): Partial<T> {
  const { run } = folded as { readonly run?: Old | null };
  return run == null ? folded : { ...folded, run: { activeAt: run.lastEventAt, ...run } };
}

/**
 * Since 5 an approval knows whether the agent said what would run, and a runtime the run that its
 * agent may not remember.
 */
function sinceFive<T extends object>(folded: Partial<T>): Partial<T> {
  const { run, runtime } = folded as { readonly run?: Old | null; readonly runtime?: Old };
  const approvals = run?.approvals as readonly (Old & { readonly input: Json })[] | undefined;
  return {
    ...folded,
    ...(runtime === undefined ? {} : { runtime: { cutOffRun: null, waiting: null, ...runtime } }),
    ...(approvals === undefined ? {} : { run: { ...run, approvals: approvals.map(withMarks) } }),
  };
}

function withMarks(asked: Old & { readonly input: Json }): Old {
  return { exact: tellsInput(asked.input), workspace: null, askedAgain: null, ...asked };
}
