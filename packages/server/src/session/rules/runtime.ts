/** Rules about a session's runtime: agent, holder, sandbox, checkpoints. */

import { type EventBody, HostError, openRun } from "@holdfast/protocol";
import { notEnded, rule } from "./rule.ts";

export const agentReady = rule("agentReady", (state, input, at) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  if (state.paused !== null && input.holderId !== null) {
    return new HostError(
      "cancel_pending",
      "The session was paused while the agent was starting. Resume it.",
    );
  }
  // An agent inside the process may have reported this before the pause ended it.
  if (state.paused !== null && openRun(state)?.paused != null) return [];
  return [{ kind: "agent.ready", ...input, epoch: at.epoch }];
});

export const agentExited = rule("agentExited", (state, input) =>
  state.runtime.state === "none" ? [] : [{ kind: "agent.exited", reason: input.reason }],
);

/** Only a definite refusal or "start fresh" retires the agent's own session id. */
export const retireAgentSession = rule("retireAgentSession", (state, input) =>
  state.runtime.agentSessionId === input.agentSessionId
    ? [{ kind: "agent.session_retired", ...input }]
    : [],
);

/** Records the launch before the process starts; refused after a cancel. */
export const launchHolder = rule("launchHolder", (state, input, at) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  const run = openRun(state);
  if (run?.unreachable === true) {
    return new HostError(
      "unreachable",
      "The agent may still be running, so another one must not start yet. Try again in a minute.",
    );
  }
  const { holderId, runId } = input;
  // Two agents on one workspace is the worst failure, so the old holder must be proved dead first.
  if (state.runtime.holderId !== null && state.runtime.holderId !== holderId) {
    return new HostError(
      "already_running",
      "The last agent may still be running. Try again in a minute.",
    );
  }
  if (run?.cancel != null || (runId !== undefined && run?.id !== runId)) {
    return new HostError(
      "cancel_pending",
      `Run ${runId ?? run?.id} was cancelled, so its agent is not started.`,
    );
  }
  return [{ kind: "holder.launched", holderId, epoch: at.epoch }];
});

export const holderExited = rule("holderExited", (state, input) =>
  state.runtime.holderId === input.holderId ? [{ kind: "holder.exited", ...input }] : [],
);

/** Recorded before an empty folder replaces the lost one, so that a crash cannot hide the loss. */
export const loseWorkspace = rule("loseWorkspace", (state, { what }) => {
  const isKnown = state.runtime.workspaceLost != null;
  return notEnded(state) ?? (isKnown ? [] : [{ kind: "workspace.lost", what }]);
});

export const sandbox = rule("sandbox", (state, input) => {
  const { sandboxId, provider, reason } = input;
  if (input.is === "ready") {
    return notEnded(state) ?? [{ kind: "sandbox.ready", sandboxId, provider }];
  }
  // Late reports about a replaced sandbox are ignored, and repeated ones.
  const { sandbox, state: runtime } = state.runtime;
  if (sandbox?.id !== sandboxId) return [];
  if (input.is === "frozen" && sandbox.state === "frozen" && runtime === "frozen") return [];
  if (input.is === "thawed" && sandbox.state === "ready") return [];
  const facts: Record<Exclude<typeof input.is, "ready">, EventBody> = {
    frozen: { kind: "sandbox.frozen", sandboxId },
    thawed: { kind: "sandbox.thawed", sandboxId },
    unreachable: { kind: "sandbox.unreachable", sandboxId, reason },
    gone: { kind: "sandbox.gone", sandboxId, reason },
  };
  return [facts[input.is]];
});

export const checkpoint = rule("checkpoint", (state, input) => {
  if (input.atSeq > state.seq) {
    return new HostError(
      "cursor_ahead",
      `The journal has ${state.seq} events, not ${input.atSeq}.`,
    );
  }
  return [{ kind: "checkpoint.created", ...input }];
});

export const checkpointFailed = rule("checkpointFailed", (_state, input) => [
  { kind: "checkpoint.failed", ...input },
]);
