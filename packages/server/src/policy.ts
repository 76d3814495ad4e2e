/**
 * Every time and limit, in one table, each with its reason. Times are milliseconds. A session may
 * override the ones marked `perSession`; nothing else in the code holds a number of its own.
 */

import { HostError, type Json, type SessionState } from "@holdfast/protocol";

interface Entry<T> {
  readonly value: T;
  readonly why: string;
  readonly perSession?: true;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const off = null as number | null;

export const policyTable = {
  deltaGroup: { value: 50, why: "a person cannot see less; every delta is still durable" },
  deltaBytes: { value: 16_384, why: "a flood is cut into pages, not into one huge event" },
  sweep: { value: 5 * SECOND, why: "deadlines are minutes; five seconds late is on time" },
  deadlineGrace: {
    value: 60 * SECOND,
    why: "a deadline that passed while no host ran gives its owner a minute to come back",
  },
  transientRetries: {
    value: 2,
    why: "a third try of an overloaded provider rarely helps",
    perSession: true,
  },
  retryDelay: {
    value: SECOND,
    why: "doubles per retry: lets a rate limit pass without a visible stall",
  },
  sandboxRecoveries: { value: 2, why: "a workspace that kills its sandbox would loop for ever" },
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
  reviveLimit: {
    value: 90 * SECOND,
    why: "a cold sandbox and a slow agent fit; a person waits no longer",
  },
  agentReady: { value: 60 * SECOND, why: "the slowest agent's start, twice" },
  staleExecution: {
    value: 10 * SECOND,
    why: "a runtime seen this recently is probably still starting",
  },
  idleFreeze: {
    value: 5 * MINUTE,
    why: "between two messages of one sitting nothing should be cold",
    perSession: true,
  },
  waitFreeze: {
    value: 5 * MINUTE,
    why: "a question nobody answers costs no processor time",
    perSession: true,
  },
  park: {
    value: DAY,
    why: "a question left overnight is still warm in the morning",
    perSession: true,
  },
  unwatchedLimit: {
    value: off,
    why: "people come back days later; those who pay by the minute turn it on",
    perSession: true,
  },
  checkpointEvery: {
    value: 5 * MINUTE,
    why: "the most work a lost machine may cost",
    perSession: true,
  },
  sessionTtl: { value: off, why: "a session ends when someone ends it", perSession: true },
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
  holderProbe: { value: 2 * SECOND, why: "boot waits for living holders, not for lost ones" },
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
  titleLength: { value: 80, why: "one line of a phone in landscape" },
  onInterrupt: {
    value: "ask" as "ask" | "continue",
    why: "acting again is the person's decision",
    perSession: true,
  },
  onOpen: {
    value: "revive" as "revive" | "nothing",
    why: "who opens a session wants to use it",
    perSession: true,
  },
  onAbandoned: {
    value: "freeze" as "freeze" | "cancel",
    why: "nothing is destroyed on a guess",
    perSession: true,
  },
} as const satisfies Record<string, Entry<number | string | null>>;

type Table = typeof policyTable;
type Widened<T> = T extends number ? number : T;
export type Policy = { readonly [K in keyof Table]: Widened<Table[K]["value"]> };

export const defaultPolicy = Object.fromEntries(
  Object.entries(policyTable).map(([name, entry]) => [name, entry.value]),
) as unknown as Policy;

/** Overrides are checked when they are set, so that reading them never fails. */
export function checkOverrides(overrides: Readonly<Record<string, Json>>): HostError | null {
  for (const [name, value] of Object.entries(overrides)) {
    const entry: Entry<number | string | null> | undefined = Object.hasOwn(policyTable, name)
      ? policyTable[name as keyof Policy]
      : undefined;
    if (entry?.perSession !== true) {
      return new HostError("bad_input", `policy.${name} cannot be set per session. ${settable()}`);
    }
    const error = checkValue(name, entry.value, value);
    if (error !== null) return error;
  }
  return null;
}

const words: Readonly<Record<string, readonly string[]>> = {
  onInterrupt: ["ask", "continue"],
  onOpen: ["revive", "nothing"],
  onAbandoned: ["freeze", "cancel"],
};

function checkValue(name: string, standard: number | string | null, value: Json): HostError | null {
  const allowed = words[name];
  if (allowed !== undefined) {
    if (typeof value === "string" && allowed.includes(value)) return null;
    return new HostError("bad_input", `policy.${name} must be one of ${allowed.join(", ")}.`);
  }
  if (value === null && standard === null) return null;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return null;
  return new HostError(
    "bad_input",
    `policy.${name} must be a whole number of milliseconds or counts.`,
  );
}

function settable(): string {
  const names = Object.entries(policyTable).filter(([, entry]) => "perSession" in entry);
  return `These can: ${names.map(([name]) => name).join(", ")}.`;
}

export function policyOf(state: SessionState, host: Policy): Policy {
  return { ...host, ...(state.policy as Partial<Policy>) };
}
