/** The stored form of a folded state: the contents of a base, with the version of its fold. */

import { HostError } from "./errors.ts";
import type { Json } from "./json.ts";
import { tellsInput } from "./session.ts";

/**
 * Raised when the nested shape of `SessionState` or `Transcript`, or the fold of the same events,
 * changes. A new required field needs a migration in `unpackFolded`, because events below a trim are
 * deleted and cannot be folded again. Version 6 added optional fields (a lost folder, the time of a
 * failed start) and other words for a question; version 7 the end of an agent, and version 8 where a
 * retried run begins, both optional; version 9 the interruption of a message. Version 10 adds late
 * output to the answer that it belongs to, version 11 the optional time of words between runs,
 * version 12 tells a long text in a list, version 13 adds the optional seq of an agent's start,
 * version 14 the optional words for a call that was denied or not started, and version 15 at an
 * approval that its call ran, also optional.
 */
export const foldVersion = 15;

export function packFolded(folded: object): string {
  return JSON.stringify({ foldVersion, folded });
}

/** `empty` provides top-level fields that an older version lacks. */
export function unpackFolded<T extends object>(text: string, empty: T): T {
  const packed = JSON.parse(text) as { foldVersion: number; folded: Partial<T> };
  if (packed.foldVersion > foldVersion) {
    throw new HostError(
      "data_too_new",
      "This session was written by a newer Holdfast. Install that version or a newer one, then restart the host.",
    );
  }
  let { folded } = packed;
  if (packed.foldVersion < 2) folded = sinceTwo(folded);
  if (packed.foldVersion < 3) folded = sinceThree(folded);
  if (packed.foldVersion < 4) folded = sinceFour(folded);
  if (packed.foldVersion < 5) folded = sinceFive(folded);
  if (packed.foldVersion < 9) folded = sinceNine(folded);
  return { ...empty, ...folded };
}

/** Version 2 added to a run the agent sessions that took it, to a runtime its last message. */
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
 * Version 3 added places and times to parts, ends to messages, durations to receipts, and the
 * happening to runs. An older part gets the place of its message.
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

/** Version 4 added `activeAt` to a run; for an older run it is the time of the last event. */
function sinceFour<T extends object>(folded: Partial<T>): Partial<T> {
  const { run } = folded as { readonly run?: Old | null };
  return run == null ? folded : { ...folded, run: { activeAt: run.lastEventAt, ...run } };
}

/** Version 5 added `exact` to an approval, and to a runtime the run its agent may not remember. */
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

/** Version 9 added `interruption` to a message; before, only its text had the reason. */
function sinceNine<T extends object>(folded: Partial<T>): Partial<T> {
  const { messages } = folded as { readonly messages?: readonly Old[] };
  return messages === undefined ? folded : { ...folded, messages: messages.map(withInterruption) };
}

function withInterruption(message: Old): Old {
  const { status, errorMessage, agentEnd } = message;
  if (status !== "interrupted") return message;
  const reason = String(errorMessage).replace("Interrupted: ", "");
  const known = agentEnd === undefined ? {} : { agentEnd };
  return { ...message, interruption: { reason, ...known } };
}
