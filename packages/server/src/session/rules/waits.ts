/** A wait: the run is blocked until a decision comes from outside. */

import {
  type Command,
  type EventBody,
  HostError,
  type Json,
  type RunState,
  type SessionState,
  stateLimits,
  type WaitKind,
  type WaitState,
} from "@holdfast/protocol";
import { attemptRule, type Decision, type Moment, openRunOf, rule, runRule } from "./rule.ts";
import { interrupting } from "./runs.ts";
import { jsonBytes } from "./size.ts";
import { clockOf, steadyTime } from "./time.ts";
import { admit, expiryTimes, isExpired, minting, revoking, spent, wonBefore } from "./tokens.ts";

export function waiting(
  run: RunState,
  wait: { kind: WaitKind; deadlineAt: string | null; approvalId: string | null },
  token: { hash: string; expiresAt: string | null },
  at: Moment,
): EventBody[] {
  const waitId = at.newId("wait");
  const tokenId = at.newId("token");
  return [
    {
      kind: "run.waiting",
      runId: run.id,
      waitId,
      waitKind: wait.kind,
      epoch: at.epoch,
      resumeTokenId: tokenId,
      deadlineAt: wait.deadlineAt,
      clock: clockOf(at),
      approvalId: wait.approvalId,
    },
    minting(run, { id: waitId, kind: wait.kind }, token, tokenId, at),
  ];
}

export const openWait = attemptRule("openWait", (run, input, at) => {
  if (input.kind !== "human" && input.deadlineAt === null) {
    return new HostError("bad_input", `A wait on ${input.kind} needs a deadline.`);
  }
  if (run.cancel !== null) {
    return new HostError("cancel_pending", `Run ${run.id} is being cancelled, so it cannot wait.`);
  }
  if (run.waits.length >= stateLimits.waits) {
    return new HostError(
      "limit_reached",
      `${run.waits.length} waits are open, which is the limit. Close one first.`,
    );
  }
  const wait = { kind: input.kind, deadlineAt: input.deadlineAt, approvalId: null };
  return waiting(run, wait, input.token, at);
});

/** Resumes a waiting run: by its token, or by an authenticated owner without one. */
export const resumeWait = rule("resumeWait", (state, input, at): Decision => {
  const run = openRunOf(state, input.runId);
  if (run instanceof HostError) return late(state, input, run);
  if (run.unreachable) {
    return new HostError(
      "unreachable",
      `Run ${run.id} may still be running. Try again in a minute.`,
    );
  }
  const token = input.token;
  if (token !== undefined && wonBefore(state, token, input.key)) return [];
  const wait = token === undefined ? ownersWait(run, input) : admit(state, run, token, input, at);
  if (wait instanceof HostError) return wait;
  if (run.cancel !== null) {
    return new HostError(
      "cancel_pending",
      `Run ${run.id} is being cancelled, so it does not continue.`,
    );
  }
  if (wait.approvalId !== null) {
    return new HostError("bad_input", "This wait is an approval: answer it with allow or deny.");
  }
  const result = input.result ?? null;
  return noRoom(run, result, at) ?? closingWait(run, wait, { ...input, result });
});

/** Limits results that are stored in the state until the agent receives them. */
function noRoom(run: RunState, result: Json, at: Moment): HostError | null {
  const { results } = run;
  const bytes = jsonBytes([...results.map((owed) => owed.result), result]);
  if (results.length < stateLimits.results && bytes <= at.policy.resultBytes) return null;
  return new HostError(
    "limit_reached",
    `The agent has not received ${results.length} earlier results yet. Try again in a moment.`,
  );
}

/** Records that the agent received the result of its wait. */
export const deliverResult = runRule("deliverResult", (run, input) => {
  const owed = run.results.some(({ waitId }) => waitId === input.waitId);
  return owed ? [{ kind: "result.delivered", runId: run.id, waitId: input.waitId }] : [];
});

/** Answers a resume of a run that is over; a token holder learns what became of the token. */
function late(state: SessionState, input: Command<"resumeWait">, otherwise: HostError): Decision {
  if (input.token === undefined) return otherwise;
  if (input.token.runId !== input.runId) {
    return new HostError("token_mismatch", "This token belongs to another run.");
  }
  return wonBefore(state, input.token, input.key) ? [] : spent(state, input.token);
}

/** The wait that an owner resumes: the named one, or the only one that is no approval. */
function ownersWait(run: RunState, input: Command<"resumeWait">): WaitState | HostError {
  const fitting = run.waits.filter(
    (open) => open.id === (input.waitId ?? open.id) && open.kind === (input.kind ?? open.kind),
  );
  const plain = fitting.filter((open) => open.approvalId === null);
  const [wait, other] = plain.length > 0 ? plain : fitting;
  if (wait === undefined) {
    return new HostError("not_waiting", `Run ${run.id} no longer waits for this.`);
  }
  if (other === undefined) return wait;
  return new HostError("bad_input", `Run ${run.id} has several open waits; name one by waitId.`);
}

/** Closes a wait: the token is consumed or revoked in the same batch in which the run resumes. */
export function closingWait(
  run: RunState,
  wait: WaitState,
  input: {
    token?: { id: string } | undefined;
    by: string;
    key?: string | undefined;
    credential?: string | undefined;
    result?: Extract<EventBody, { kind: "run.resumed" }>["result"];
  },
): EventBody[] {
  const key = input.key === undefined ? {} : { key: input.key };
  const credential = input.credential === undefined ? {} : { credential: input.credential };
  const result = input.result === undefined ? {} : { result: input.result };
  const spending: EventBody[] =
    input.token === undefined
      ? revoking(run, wait, "answered")
      : [{ kind: "token.consumed", runId: run.id, tokenId: input.token.id, ...key }];
  return [
    ...spending,
    {
      kind: "run.resumed",
      runId: run.id,
      waitId: wait.id,
      by: input.by,
      ...credential,
      ...key,
      ...result,
    },
  ];
}

/** The sweep found a passed deadline: the wait ends and its token expires. */
export const expireWait = runRule("expireWait", (run, input, at) => {
  const wait = run.waits.find((open) => open.id === input.waitId);
  if (wait === undefined) return new HostError("not_waiting", `Wait ${input.waitId} is over.`);
  if (!dueWaits(run, at).includes(wait)) return [];
  const token = wait.token;
  const expired: EventBody[] =
    token?.status === "active" && isExpired(token, at)
      ? [{ kind: "token.expired", runId: run.id, tokenId: token.id }]
      : [];
  // A person's wait without a deadline outlives its token: the owner can answer without a token.
  if (wait.kind === "human" && wait.deadlineAt === null) return expired;
  const left = expired.length === 0 ? run : withoutToken(run, wait);
  return [...expired, ...interrupting(left, "wait_timeout", at)];
});

function withoutToken(run: RunState, wait: WaitState): RunState {
  return {
    ...run,
    waits: run.waits.map((open) => (open.id === wait.id ? { ...open, token: null } : open)),
  };
}

/**
 * Waits that the sweep must expire: the deadline passed, or the token can no longer open the wait.
 * Deadlines of an earlier boot wait for the grace time, so that people can reconnect first.
 */
export function dueWaits(run: RunState, at: Moment): readonly WaitState[] {
  return mayExpire(run) ? run.waits.filter((wait) => isDue(wait, at)) : [];
}

function isDue(wait: WaitState, at: Moment): boolean {
  if (wait.epoch !== at.epoch && at.steady < at.graceUntil) return false;
  return dueTimes(wait, at.epoch).some((time) => at.steady >= time);
}

/** The steady times at which the wait is due in boot `epoch`; for null, in any boot. */
export function dueTimes(wait: WaitState, epoch: number | null): number[] {
  const { token, deadlineAt } = wait;
  const deadline = deadlineAt === null ? [] : [steadyTime(deadlineAt, wait, epoch)];
  if (token?.status === "active") return [...deadline, ...expiryTimes(token, epoch)];
  return wait.kind === "human" && deadlineAt === null ? [] : [0];
}

/** False while the run is being cancelled, or is unreachable and may still act. */
export function mayExpire(run: RunState): boolean {
  return run.cancel === null && !run.unreachable;
}
