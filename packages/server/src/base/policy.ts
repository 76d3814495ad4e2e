/**
 * All times and limits of a host in one table, each with its reason. Times are milliseconds. A
 * session may override the entries marked `perSession`, and `config.json` sets them for all
 * sessions that do not. A size that only one mechanism uses, such as a page's or a preview's,
 * stands beside that mechanism. Every entry is read by some code.
 */

import {
  HostError,
  type Json,
  type OnOpen,
  onOpenWords,
  type SessionState,
} from "@holdfast/protocol";

interface Entry<T> {
  readonly value: T;
  readonly why: string;
  readonly perSession?: true;
  /** True for a number that is not a time. */
  readonly isCount?: true;
  readonly words?: readonly T[];
}

type AnyEntry = Entry<number | null> | Entry<string>;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const off = null as number | null;

export const policyTable = {
  deltaGroup: { value: 50, why: "a person cannot see less; every delta is still durable" },
  deltaBytes: { value: 16_384, why: "a flood is cut into pages, not into one huge event" },
  runSaid: {
    value: 32 * 1024 * 1024,
    why: "a person reads none of it, and opening the session must not cost all memory",
  },
  spokenBetween: {
    value: 1024 * 1024,
    why: "between turns nobody asked: a few words are news, more is a flood",
  },
  sweep: { value: 5 * SECOND, why: "deadlines are minutes; five seconds late is on time" },
  onOpen: {
    value: "needed" as OnOpen,
    why: "opening starts an agent only where one is missed: a session that waits or was interrupted",
    perSession: true,
    words: onOpenWords,
  },
  approvalDeadline: {
    value: off,
    why: "a question waits until someone answers it; where set, its run is interrupted when nobody did in time",
    perSession: true,
  },
  deadlineGrace: {
    value: 60 * SECOND,
    why: "a deadline that passed while no host ran gives its owner a minute to come back",
  },
  transientRetries: {
    value: 2,
    why: "a third try of an overloaded provider rarely helps",
    perSession: true,
    isCount: true,
  },
  retryDelay: {
    value: SECOND,
    why: "doubles per retry: lets a rate limit pass without a visible stall",
  },
  launchSilence: {
    value: 5 * MINUTE,
    why: "nothing at all after a prompt is a failed launch, and safe to retry",
    perSession: true,
  },
  silenceNotice: {
    value: 5 * MINUTE,
    why: "advisory only: a long tool or a slow model is not a failure",
    perSession: true,
  },
  cancelGrace: {
    value: 5 * SECOND,
    why: "an agent that obeys needs less; one that does not is killed",
  },
  killLimit: {
    value: 10 * SECOND,
    why: "a killed process is gone in milliseconds; a close must not hang on one that is not",
  },
  fullRetry: { value: SECOND, why: "freed space is used at once, as a person sees it" },
  sessionTtl: { value: off, why: "a session ends when someone ends it", perSession: true },
  plausibleGap: {
    value: 3650 * DAY,
    why: "a session untouched for longer means a wrong clock, and nothing is destroyed on its word",
  },
  endedKept: { value: 30 * DAY, why: "long enough to notice a mistaken end" },
  runDetailKept: {
    value: 7 * DAY,
    why: "details matter while the work is fresh",
    perSession: true,
  },
  errorDetailKept: {
    value: 30 * DAY,
    why: "errors are looked into later than successes",
    perSession: true,
  },
  baseEvery: {
    value: 2000,
    why: "opening a long session reads a base and at most this many events",
  },
  reviveLimit: {
    value: 90 * SECOND,
    why: "how long a caller is kept waiting for a revive; it goes on without them",
  },
  agentReady: {
    value: 60 * SECOND,
    why: "an agent that has not answered by then was not started well",
  },
  staleWindow: {
    value: 10 * SECOND,
    why: "an agent seen that recently is on its way out or back; asking again is early",
  },
  idlePause: {
    value: 5 * MINUTE,
    why: "an idle agent costs memory, and comes back with its context",
    perSession: true,
  },
  unwatchedLimit: {
    value: off,
    why: "people come back days later; half an hour where running unseen costs too much",
    perSession: true,
  },
  unwatchedCancel: {
    value: 0,
    why: "1 cancels an unwatched run; otherwise its agent is frozen, or ended where it may not be, until someone looks",
    perSession: true,
    isCount: true,
  },
  holderIdle: { value: 10 * MINUTE, why: "a holder without host and work waits for an upgrade" },
  holderOpen: {
    value: DAY,
    why: "a holder with work goes on alone for as long as a person sleeps",
  },
  holderProbe: { value: 2 * SECOND, why: "boot waits for living holders, not for lost ones" },
  adoptLimit: {
    value: 10 * SECOND,
    why: "taking a holder over takes milliseconds; a start must not hang on one that hangs",
  },
  idleStates: { value: 2000, why: "about 10 KB each: idle states cost at most 20 MB" },
  idleStateAge: { value: MINUTE, why: "a state just used will be used again" },
  queue: { value: 100, why: "more queued messages than anyone reads" },
  queueBytes: {
    value: 1024 * 1024,
    why: "the queue is part of every state and base; eight of the longest messages fit",
  },
  approvalBytes: {
    value: 1024 * 1024,
    why: "open questions are part of the state with all they would run; four of the largest fit",
  },
  resultBytes: {
    value: 1024 * 1024,
    why: "results wait in the state until an agent hears them; four of the largest fit",
  },
  ruleBytes: {
    value: 256 * 1024,
    why: "rules are read at every question; one on longer input would never match again",
  },
} as const satisfies Record<string, AnyEntry>;

type Table = typeof policyTable;
type Widened<T> = T extends number ? number : T;
export type Policy = { readonly [K in keyof Table]: Widened<Table[K]["value"]> };

export const defaultPolicy = Object.fromEntries(
  Object.entries(policyTable).map(([name, entry]) => [name, entry.value]),
) as unknown as Policy;

/** Validates overrides when they are set, so that reading them never fails. */
export function checkOverrides(overrides: Readonly<Record<string, Json>>): HostError | null {
  const mistakes = policyMistakes(overrides);
  if (mistakes.length === 0) return null;
  const said = mistakes.map(([name, message]) => `policy.${name} ${message}.`);
  return new HostError("bad_input", [...said, settable()].join(" "));
}

/** All mistakes in overrides of a session or `config.json`: the name, and what is right. */
export function policyMistakes(
  overrides: Readonly<Record<string, Json>>,
): readonly (readonly [name: string, message: string])[] {
  return Object.entries(overrides).flatMap(([name, value]) => {
    const message = mistakeIn(name, value);
    return message === null ? [] : [[name, message] as const];
  });
}

function mistakeIn(name: string, value: Json): string | null {
  const entry: AnyEntry | undefined = Object.hasOwn(policyTable, name)
    ? policyTable[name as keyof Policy]
    : undefined;
  if (entry?.perSession !== true) return "cannot be set";
  if (entry.words !== undefined) {
    if (entry.words.some((word) => word === value)) return null;
    return `must be one of ${entry.words.join(", ")}`;
  }
  if (value === null && entry.value === null) return null;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return null;
  const orOff = entry.value === null ? ", or null for off" : "";
  return `must be a whole number${entry.isCount === true ? "" : " of milliseconds"}${orOff}`;
}

export function settable(): string {
  const names = Object.entries(policyTable).filter(([, entry]) => "perSession" in entry);
  return `Settings that can be set: ${names.map(([name]) => name).join(", ")}.`;
}

export function policyOf(state: SessionState, host: Policy): Policy {
  const own = state.policy as Partial<Policy>;
  return Object.keys(own).length === 0 ? host : { ...host, ...own };
}
