import { agentEndOf } from "../agent-end.ts";
import type { Event } from "../events.ts";
import { type RuntimeState, type SessionState, spokenLength } from "../session.ts";
import type { WorkspaceContents } from "../vocabulary.ts";
import { type FoldsOf, onRuntime, unchanged } from "./change.ts";

export const runtimeFolds: FoldsOf<"sandbox" | "holder" | "workspace" | "agent" | "checkpoint"> = {
  "sandbox.ready": (state, event) =>
    onRuntime(state, {
      sandbox: { id: event.sandboxId, provider: event.provider, state: "ready" },
    }),
  "sandbox.frozen": (state, event) => onSandbox(state, event.sandboxId, "frozen", "frozen"),
  "sandbox.thawed": (state, event) => onSandbox(state, event.sandboxId, "ready", "live"),
  "sandbox.unreachable": (state, event) =>
    onSandbox(state, event.sandboxId, "unreachable", "unreachable"),
  "sandbox.gone": (state, event) => onSandbox(state, event.sandboxId, "gone", "none"),
  "holder.launched": (state, event) => ({
    ...onRuntime(state, {
      state: "starting",
      holderId: event.holderId,
      epoch: event.epoch,
      waiting: null,
      exitedAt: null,
      ...endOf(state, event),
    }),
    // A launch ends an earlier pause; a later pause applies to this launch.
    paused: null,
  }),
  "holder.exited": (state, event) =>
    state.runtime.holderId === event.holderId
      ? onRuntime(state, {
          state: "none",
          holderId: null,
          readyHolderId: null,
          exitedAt: event.ts,
          sandbox: thawed(state.runtime.sandbox),
          ...endOf(state, event),
          ...(event.workspace === undefined ? {} : leftOf(state, event.workspace)),
        })
      : state,
  "workspace.lost": (state, { what }) =>
    onRuntime(state, { workspaceLost: what, ...leftOf(state, null) }),
  "agent.ready": (state, event) => ({
    ...onRuntime(state, {
      state: "live",
      epoch: event.epoch,
      seen: true,
      agentSessionId: event.agentSessionId ?? state.runtime.agentSessionId,
      holderId: event.holderId,
      readyHolderId: event.holderId,
      readySeq: event.seq,
      contextFrom: event.contextFrom ?? null,
      cutOffRun: event.cutOffRun ?? null,
      ...(state.runtime.messageModel == null ? {} : { messageModel: null }),
      exitedAt: null,
      ...endOf(state, event),
    }),
    paused: null,
    // The agent is up, so an earlier start error is over; a first start has no `session.resumed`.
    recovery: { ...state.recovery, reviveError: null },
  }),
  "agent.exited": (state, event) =>
    onRuntime(state, { state: "none", exitedAt: event.ts, ...endOf(state, event) }),
  "agent.spoke": (state, event) => ({
    ...state,
    spoken: state.spoken + spokenLength(event),
    spokenAt: event.ts,
  }),
  "agent.session_retired": (state, event) =>
    state.runtime.agentSessionId === event.agentSessionId
      ? onRuntime(state, { agentSessionId: null, lastMessageId: null })
      : state,
  "checkpoint.created": (state, event) => ({
    ...state,
    checkpoint: { id: event.checkpointId, atSeq: event.atSeq, consistent: event.consistent },
  }),
  "checkpoint.failed": unchanged,
};

function endOf({ runtime }: SessionState, event: Event): Pick<RuntimeState, "agentEnd"> {
  const agentEnd = agentEndOf(runtime.agentEnd, event);
  return agentEnd === undefined ? {} : { agentEnd };
}

/** The change of the reading; an exit without a reading keeps the earlier one. */
function leftOf(
  { runtime }: SessionState,
  workspaceLeft: WorkspaceContents | null,
): Pick<RuntimeState, "workspaceLeft"> {
  return workspaceLeft === (runtime.workspaceLeft ?? null) ? {} : { workspaceLeft };
}

/** A frozen sandbox becomes ready when its holder exits, because the frozen processes are gone. */
function thawed(sandbox: RuntimeState["sandbox"]): RuntimeState["sandbox"] {
  return sandbox?.state === "frozen" ? { ...sandbox, state: "ready" } : sandbox;
}

/** Changes the sandbox's state; events of a replaced sandbox are ignored. */
function onSandbox(
  state: SessionState,
  id: string,
  word: "ready" | "frozen" | "unreachable" | "gone",
  runtime: RuntimeState["state"],
): SessionState {
  const sandbox = state.runtime.sandbox;
  if (sandbox === null || sandbox.id !== id) return state;
  return onRuntime(state, { state: runtime, sandbox: { ...sandbox, state: word } });
}
