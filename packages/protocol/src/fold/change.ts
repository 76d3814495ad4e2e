/** What the folds of every noun have in common: how a fact changes a part of the state. */

import type { EventKind, EventOf, Stamped } from "../events.ts";
import type { RunState, RuntimeState, SessionState } from "../session.ts";

type Fold<K extends EventKind> = (state: SessionState, event: Stamped<EventOf<K>>) => SessionState;

/** A fold for every kind there is: a new kind does not compile before someone says what it means. */
export type Folds = { readonly [K in EventKind]: Fold<K> };

/** The folds of all kinds that begin with one of these nouns. */
export type FoldsOf<Noun extends string> = Pick<Folds, Extract<EventKind, `${Noun}.${string}`>>;

/** A fact for people and timelines; no decision depends on it. */
export const unchanged = (state: SessionState): SessionState => state;

export function onRun(
  state: SessionState,
  event: { runId: string; ts: string },
  change: (run: RunState) => Partial<RunState>,
): SessionState {
  const run = state.run;
  if (run === null || run.id !== event.runId) return state;
  const heard = { lastEventAt: event.ts, activeAt: event.ts, silentSince: null };
  return { ...state, run: { ...run, ...heard, ...change(run) } };
}

/** What an older launch says changes nothing: its run has moved on. */
export function onAttempt(
  state: SessionState,
  event: { runId: string; attempt: number; ts: string },
  change: (run: RunState) => Partial<RunState>,
): SessionState {
  return state.run?.attempt.n === event.attempt ? onRun(state, event, change) : state;
}

export function onRuntime(state: SessionState, change: Partial<RuntimeState>): SessionState {
  return { ...state, runtime: { ...state.runtime, ...change } };
}
