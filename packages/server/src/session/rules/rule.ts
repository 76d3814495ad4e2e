/**
 * A rule decides: (state, input, moment) → events, or why not. Rules are pure: time, ids and the
 * policy come in with the moment, and what they return is not true before the journal has it.
 */

import {
  type Command,
  type CommandInput,
  type CommandName,
  deriveStatus,
  type Event,
  type EventBody,
  fold,
  HostError,
  type NewId,
  parseCommand,
  type RunState,
  type SessionState,
} from "@holdfast/protocol";
import type { Policy } from "../../policy.ts";
import { oversized } from "./size.ts";

export interface Moment {
  /** Wall time, as written into events. */
  readonly now: number;
  /** Wall time that no clock step can move: deadlines are compared with this one. */
  readonly steady: number;
  /** Deadlines of an earlier life fire no sooner than this (steady). */
  readonly graceUntil: number;
  readonly epoch: number;
  readonly bootId: string;
  readonly newId: NewId;
  readonly policy: Policy;
}

export type Decision = readonly EventBody[] | HostError;

export type Rule<N extends CommandName> = (
  state: SessionState,
  input: CommandInput<N>,
  at: Moment,
) => Decision;

/**
 * What every rule has in common. It parses first, so that malformed input is an error and never half
 * a decision; it decides nothing that the journal would refuse; and whenever a decision changes the
 * derived status, it says so in the same batch.
 */
export function rule<N extends CommandName>(
  name: N,
  decide: (state: SessionState, input: Command<N>, at: Moment) => Decision,
): Rule<N> {
  return (state, input, at) => {
    const parsed = parseCommand(name, input);
    if (parsed instanceof HostError) return parsed;
    if (state.seq === 0 && name !== "create") {
      return new HostError("session_not_found", "Session not found");
    }
    const decision = decide(state, parsed, at);
    if (decision instanceof HostError) return decision;
    return oversized(decision) ?? saying(state, decision, at);
  };
}

/** Only facts about runs change the word, so that output need not be folded twice. */
function saying(state: SessionState, events: readonly EventBody[], at: Moment): Decision {
  if (!events.some((event) => event.kind.startsWith("run."))) return events;
  return [...events, ...statusChange(after(state, events, at), at)];
}

/** The derived status, once per change, so that followers and operators see it as an event. */
export function statusChange(state: SessionState, at: Moment): EventBody[] {
  const { status, lifecycle } = deriveStatus(state, at);
  if ((state.recovery.derived ?? "idle") === status) return [];
  return [{ kind: "status.derived", status, lifecycle, bootId: at.bootId }];
}

/** The state as it would be after these events: for rules made of smaller ones. */
export function after(state: SessionState, events: readonly EventBody[], at: Moment): SessionState {
  const ts = new Date(at.now).toISOString();
  let next = state;
  for (const body of events) next = fold(next, { seq: next.seq + 1, ts, ...body } as Event);
  return next;
}

/** Decides on, in the state that the first events make; an error anywhere is the whole answer. */
export function andThen(
  state: SessionState,
  first: Decision,
  at: Moment,
  next: (state: SessionState) => Decision,
): Decision {
  if (first instanceof HostError) return first;
  const second = next(after(state, first, at));
  return second instanceof HostError ? second : [...first, ...second];
}

/** The run a command names, if it is still open. Only the latest run can be. */
export function openRunOf(state: SessionState, runId: string): RunState | HostError {
  const run = state.run;
  if (run === null || run.id !== runId) {
    return new HostError("run_not_found", `Run ${runId} is not this session's latest run.`);
  }
  if (run.outcome !== null) {
    return new HostError(
      "not_open",
      `Run ${runId} is already ${run.outcome}; nothing was changed.`,
      {
        outcome: run.outcome,
      },
    );
  }
  return run;
}

/** Like openRunOf, for what a launch says: an older launch is late, and its words are dropped. */
export function currentAttempt(
  state: SessionState,
  input: { runId: string; attempt: number },
): RunState | HostError {
  const run = openRunOf(state, input.runId);
  if (run instanceof HostError) return run;
  if (run.attempt.n === input.attempt) return run;
  return new HostError(
    "late_event",
    `Attempt ${input.attempt} of ${run.id} was replaced by attempt ${run.attempt.n}.`,
  );
}

export function notEnded(state: SessionState): HostError | null {
  if (state.ended === null) return null;
  return new HostError("session_ended", "Session has ended and cannot be resumed");
}
