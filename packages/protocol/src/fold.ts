/**
 * fold: (state, event) → state. Pure and total: an unknown kind, or an event of a run that is not
 * the latest, only moves `seq` and `updatedAt`. The rules refuse; the fold trusts the journal.
 */

import type { Event } from "./events.ts";
import { approvalFolds } from "./fold/approvals.ts";
import { attemptFolds } from "./fold/attempts.ts";
import type { Folds } from "./fold/change.ts";
import { messageFolds } from "./fold/messages.ts";
import { recoveryFolds } from "./fold/recovery.ts";
import { runFolds } from "./fold/runs.ts";
import { runtimeFolds } from "./fold/runtime.ts";
import { sessionFolds } from "./fold/sessions.ts";
import { emptyState, type SessionState } from "./session.ts";

const folds: Folds = {
  ...sessionFolds,
  ...messageFolds,
  ...runFolds,
  ...attemptFolds,
  ...approvalFolds,
  ...runtimeFolds,
  ...recoveryFolds,
};

export function fold(state: SessionState, event: Event): SessionState {
  // Own properties only: a kind such as "toString", which every object has, is unknown.
  const apply = Object.hasOwn(folds, event.kind)
    ? (folds[event.kind] as (state: SessionState, event: Event) => SessionState)
    : undefined;
  const next = apply === undefined ? state : apply(state, event);
  return { ...next, seq: event.seq, updatedAt: event.ts };
}

export function foldAll(events: Iterable<Event>, from: SessionState = emptyState): SessionState {
  let state = from;
  for (const event of events) state = fold(state, event);
  return state;
}
