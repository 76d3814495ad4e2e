/** Refusals of a store as plain data, because they cross threads; all stores share the words. */

import { type ErrorCode, HostError } from "@holdfast/protocol/errors";
import type { CursorMove, OnceFact } from "./journal.ts";

export interface StoreRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function refusalError({ code, message, details }: StoreRefusal): HostError {
  return new HostError(code, message, details);
}

export function fenced(epoch: number, current: number): StoreRefusal {
  return {
    code: "fenced",
    message: `Epoch ${epoch} may not write: epoch ${current} owns this journal. Stop, and start again.`,
    details: { epoch, current },
  };
}

export function sessionNotFound(session: string): StoreRefusal {
  return {
    code: "session_not_found",
    message: `There is no session ${session}. Create it with a batch at expectedSeq 0 that carries a head.`,
    details: { session },
  };
}

/** Validates the arguments of `read`, which come from clients. */
export function badRead(after: number, limit: number): StoreRefusal | null {
  const isSound = Number.isSafeInteger(after) && after >= 0 && Number.isSafeInteger(limit);
  if (isSound && limit > 0) return null;
  const message = `Reading needs a seq of 0 or higher and a limit of 1 or higher, not ${after} and ${limit}.`;
  return { code: "bad_input", message };
}

export function seqConflict(session: string, expected: number, seq: number): StoreRefusal {
  return {
    code: "seq_conflict",
    message: `Session ${session} stands at ${seq}, not at ${expected}. Read on from ${expected} and decide again.`,
    details: { session, expected, seq },
  };
}

export function alreadyDone(session: string, fact: OnceFact, seq: number): StoreRefusal {
  return {
    code: "already_done",
    message: `${fact.name} ${fact.key} already stands at ${seq} of session ${session}. Read the result there.`,
    details: { session, name: fact.name, key: fact.key, seq },
  };
}

export function cursorConflict(session: string, move: CursorMove, at: number): StoreRefusal {
  return {
    code: "cursor_conflict",
    message: `Holder ${move.holder} is journalled up to frame ${at}, not ${move.from}. Go on from ${at}.`,
    details: { session, holder: move.holder, from: move.from, at },
  };
}

export function cursorAhead(session: string, after: number, seq: number): StoreRefusal {
  return {
    code: "cursor_ahead",
    message: `Session ${session} ends at ${seq}, before ${after}. Follow from ${seq} or lower.`,
    details: { session, after, seq },
  };
}

export function belowRetention(session: string, after: number, trimmed: number): StoreRefusal {
  return {
    code: "below_retention",
    message: `Events up to ${trimmed} of session ${session} were folded into its base. Load the base and follow from ${trimmed}.`,
    details: { session, after, trimmed },
  };
}

export function sessionDamaged(
  session: string,
  reason: string,
  readableTo: number | null,
): StoreRefusal {
  return {
    code: "session_damaged",
    message: `Session ${session} is damaged (${reason}) and can only be read. Stop the host and run "holdfast repair".`,
    details: { session, reason, readableTo },
  };
}

export function journalFull(): StoreRefusal {
  return {
    code: "journal_full",
    message:
      "The disk is full: nothing was written. Free some space and try again; no restart is needed.",
  };
}

export function noBase(session: string, upTo: number): StoreRefusal {
  return {
    code: "bad_input",
    message: `Session ${session} has no base at or after ${upTo}: nothing was deleted. Store one with putBase first.`,
    details: { session, upTo },
  };
}

export function journalClosed(): StoreRefusal {
  return { code: "journal_closed", message: "The host is stopping. Try again when it is running." };
}
