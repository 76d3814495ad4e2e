/** Helpers that the folds of all nouns share: each changes one part of the state. */

import type { EventKind, EventOf, Stamped } from "../events.ts";
import type { RunState, RuntimeState, SessionState } from "../session.ts";

type Fold<K extends EventKind> = (state: SessionState, event: Stamped<EventOf<K>>) => SessionState;

/** A fold for every kind; a new kind without a fold does not compile. */
export type Folds = { readonly [K in EventKind]: Fold<K> };

/** The folds of all kinds that begin with one of these nouns. */
export type FoldsOf<Noun extends string> = Pick<Folds, Extract<EventKind, `${Noun}.${string}`>>;

/** For events that only people and timelines read; no decision depends on them. */
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

/** Changes the run only for its current attempt; events of older attempts are ignored. */
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
