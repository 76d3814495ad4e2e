/** The latest run of a session and all actions on it, whichever client started it. */

import type { ApprovalDecision, ApprovalView, Message, RunSummary } from "@holdfast/protocol";
import type { Holdfast } from "../holdfast.ts";
import type { StoredItem } from "../outbox/item.ts";
import type { SessionSnapshot } from "../session/snapshot.ts";
import { useSession } from "./hooks.ts";
import { useHoldfast } from "./provider.ts";

export interface UsedRun {
  readonly run: RunSummary | null;
  /** The run's output so far: its message, with its parts. */
  readonly answer: Message | null;
  /** True while it works, or waits for an answer. */
  readonly isRunning: boolean;
  readonly isPaused: boolean;
  readonly pendingApproval: ApprovalView | null;
  /** Stored first, then delivered: resolves once the item is stored. */
  readonly startRun: (content: string, options?: StartOptions) => Promise<StoredItem>;
  readonly cancelRun: () => Promise<StoredItem | null>;
  /** Answers the oldest question, or the given one. Null when it is no longer open. */
  readonly submitApproval: (
    decision: ApprovalDecision,
    reason?: string,
    approvalId?: string,
    option?: string,
  ) => Promise<StoredItem | null>;
  /** These three call the host at once, and throw its refusal. */
  readonly resumeRun: () => Promise<boolean>;
  readonly retryRun: (from: "start" | "error") => Promise<boolean>;
  readonly dismissRun: () => Promise<boolean>;
}

export interface StartOptions {
  readonly model?: string;
  readonly whenBusy?: "queue" | "interrupt";
}

export function useRun(session: string): UsedRun {
  const holdfast = useHoldfast();
  const snapshot = useSession(session);
  return { ...runOf(snapshot), ...doingsOf(holdfast, session, snapshot) };
}

function runOf({ run, messages, approvals }: SessionSnapshot) {
  const isMine = (message: Message) => message.role === "assistant" && message.runId === run?.id;
  return {
    run,
    answer: run === null ? null : (messages.findLast(isMine) ?? null),
    isRunning: run?.status === "running" || run?.status === "awaiting_approval",
    isPaused: run?.isPaused ?? false,
    pendingApproval: approvals[0] ?? null,
  };
}

function doingsOf(holdfast: Holdfast, session: string, { run, approvals }: SessionSnapshot) {
  const { client, outbox } = holdfast;
  const params = { runId: run?.id ?? "" };
  return {
    startRun: (content: string, options: StartOptions = {}) =>
      outbox.add(session, { type: "message", content, ...options }),
    cancelRun: async () =>
      run === null ? null : outbox.add(session, { type: "cancel", runId: run.id }),
    submitApproval: async (
      decision: ApprovalDecision,
      reason?: string,
      named?: string,
      option?: string,
    ) => {
      const asked = approvals.find(({ id }) => named === undefined || id === named);
      if (run === null || asked === undefined) return null;
      const { id: approvalId, digest } = asked;
      const said = {
        ...(reason === undefined ? {} : { reason }),
        ...(option === undefined ? {} : { option }),
      };
      const answer = { runId: run.id, approvalId, decision, digest, ...said };
      return outbox.add(session, { type: "approval", ...answer });
    },
    resumeRun: async () => (await client.call("resumeRun", { params })).success,
    retryRun: async (from: "start" | "error") =>
      (await client.call("retryRun", { params, body: { from } })).success,
    dismissRun: async () => (await client.call("dismissRun", { params })).success,
  };
}
