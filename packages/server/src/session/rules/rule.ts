/**
 * A rule decides: (state, input, moment) → events, or an error. Rules are pure: time, ids and the
 * policy come with the moment, and the returned events become facts only when the journal has
 * appended them.
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
  type RunState,
  type SessionState,
} from "@holdfast/protocol";
import { parseCommand } from "@holdfast/protocol/schemas";
import type { Policy } from "../../base/policy.ts";
import { oversized } from "./size.ts";

export interface Moment {
  /** Wall time, as written into events. */
  readonly now: number;
  /** Wall time without clock steps: deadlines are compared with this one. */
  readonly steady: number;
  /** Deadlines set in an earlier boot fire no sooner than this steady time. */
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
 * Wraps a rule: parses the input first, so that malformed input is an error; refuses events that
 * the journal would refuse; and appends a status event whenever the decision changes the derived
 * status.
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

type OfRun = { [N in CommandName]: Command<N> extends { runId: string } ? N : never }[CommandName];
type OfAttempt = {
  [N in OfRun]: Command<N> extends { attempt: number } ? N : never;
}[OfRun];

/** A rule for the open run that the command names. */
export function runRule<N extends OfRun>(
  name: N,
  decide: (run: RunState, input: Command<N>, at: Moment, state: SessionState) => Decision,
): Rule<N> {
  return rule(name, (state, input, at) => {
    const run = openRunOf(state, (input as { runId: string }).runId);
    return run instanceof HostError ? run : decide(run, input, at, state);
  });
}

/** A rule for reports of a launch; those of an older launch are refused as late. */
export function attemptRule<N extends OfAttempt>(
  name: N,
  decide: (run: RunState, input: Command<N>, at: Moment, state: SessionState) => Decision,
): Rule<N> {
  return rule(name, (state, input, at) => {
    const run = currentAttempt(state, input as { runId: string; attempt: number });
    return run instanceof HostError ? run : decide(run, input, at, state);
  });
}

/** Only `run.*` events change the status, so output is not folded a second time. */
function saying(state: SessionState, events: readonly EventBody[], at: Moment): Decision {
  if (!events.some((event) => event.kind.startsWith("run."))) return events;
  return [...events, ...statusChange(after(state, events, at), at)];
}

/** The derived status as an event, once per change, for followers and operators. */
export function statusChange(state: SessionState, at: Moment): EventBody[] {
  const { status, lifecycle } = deriveStatus(state, at);
  if ((state.recovery.derived ?? "idle") === status) return [];
  return [{ kind: "status.derived", status, lifecycle, bootId: at.bootId }];
}

/** The state as it would be after these events, for rules that combine smaller ones. */
export function after(state: SessionState, events: readonly EventBody[], at: Moment): SessionState {
  const ts = new Date(at.now).toISOString();
  let next = state;
  for (const body of events) next = fold(next, { seq: next.seq + 1, ts, ...body } as Event);
  return next;
}

/** Decides `next` on the state after `first`; returns both's events, or the first error. */
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

/** The run that a command names, if it is open. Only the latest run can be open. */
export function openRunOf(state: SessionState, runId: string): RunState | HostError {
  const run = state.run;
  if (run === null || run.id !== runId) {
    return new HostError("run_not_found", `Run ${runId} is not this session's latest run.`);
  }
  if (run.outcome !== null) {
    return new HostError(
      "not_open",
      `Run ${runId} is already ${run.outcome}. Nothing was changed.`,
      {
        outcome: run.outcome,
      },
    );
  }
  return run;
}

/** Like `openRunOf`, for reports of a launch: reports of an older launch are refused as late. */
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
