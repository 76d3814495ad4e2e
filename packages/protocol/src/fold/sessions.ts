import type { SessionState } from "../session.ts";
import { type FoldsOf, onRuntime } from "./change.ts";

export const sessionFolds: FoldsOf<"session" | "journal"> = {
  "session.created": (state, event) => ({
    ...state,
    id: event.sessionId,
    tenant: event.tenant,
    title: event.title,
    agentName: event.agentName,
    model: event.model,
    workspace: event.workspace,
    isolation: event.isolation,
    policy: event.policy,
    definition: event.definition ?? null,
    createdAt: event.ts,
  }),
  "session.renamed": (state, event) => ({ ...state, title: event.title }),
  "session.policy_changed": (state, event) => ({ ...state, policy: event.policy }),
  "session.paused": (state, event) => ({
    ...state,
    paused: { at: event.ts, reason: event.reason },
  }),
  "session.reviving": (state, event) =>
    onRuntime(state, { state: "starting", waiting: null, epoch: event.epoch }),
  "session.resumed": (state, event) => ({
    ...onRuntime(state, { state: "live", epoch: event.epoch, seen: true }),
    paused: null,
    recovery: {
      ...state.recovery,
      lastBootSeen: event.bootId,
      rung: event.rung,
      reviveError: null,
    },
  }),
  "session.revive_failed": (state, { error, ts: at }) => ({
    ...onRuntime(state, { state: beforeRevive(state), waiting: null }),
    // A start that was cancelled on purpose is no failure.
    ...(error.code === "cancel_pending"
      ? {}
      : { recovery: { ...state.recovery, reviveError: { ...error, at } } }),
  }),
  "session.launch_queued": (state, { ts: since, scope, live, limit, epoch }) =>
    onRuntime(state, { state: "starting", epoch, waiting: { since, scope, live, limit } }),
  // A rewind removes all standing rules; earlier ones are not restored.
  "session.rewound": (state, event) => ({ ...state, rewoundTo: event.toSeq, rules: [] }),
  "session.forked": (state, event) => ({ ...state, forkedFrom: event.from, rules: [] }),
  "session.ended": (state, event) => ({
    ...state,
    // A deletion after the end leaves the time of the end, from which its removal counts.
    ended: { at: state.ended?.at ?? event.ts, reason: event.reason },
    rules: [],
  }),
  "journal.folded": (state, event) => ({ ...state, trimmedTo: event.upTo }),
};

/** The runtime state before the revive, which applies again when the revive fails. */
function beforeRevive(state: SessionState): "frozen" | "none" {
  const { sandbox, holderId } = state.runtime;
  return sandbox?.state === "frozen" && holderId !== null ? "frozen" : "none";
}
