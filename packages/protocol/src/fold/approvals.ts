/** Folds of approvals, standing rules, results and the tokens that answer a wait. */

import type { AskedAgain, EventOf } from "../events.ts";
import {
  type ApprovalState,
  type RunState,
  type SessionState,
  stateLimits,
  type TokenState,
  tellsInput,
  type WaitState,
} from "../session.ts";
import { heard } from "./attempts.ts";
import { type FoldsOf, onRun } from "./change.ts";

export const approvalFolds: FoldsOf<"approval" | "result" | "rule" | "token"> = {
  "approval.requested": (state, event) =>
    heard(state, event, (run) => ({
      approvals: [
        ...remembered(replaced(run.approvals, event)),
        {
          id: event.approvalId,
          toolCallId: event.toolCallId,
          toolName: event.toolName,
          input: event.input,
          ...(event.inputBlob === undefined ? {} : { inputBlob: event.inputBlob }),
          ...(event.inputPreview === undefined ? {} : { inputPreview: event.inputPreview }),
          digest: event.digest,
          attempt: event.attempt,
          askedBy: event.askedBy,
          options: event.options ?? [],
          exact: event.exact ?? tellsInput(event.input),
          workspace: event.workspace ?? null,
          // Versions without workspace marks did not write `exact` either.
          ...(event.exact === undefined || event.askedBy === null ? {} : { needsMark: true }),
          askedAgain: askedAgainIn(event),
          decision: null,
          by: null,
          reason: null,
          delivered: false,
          carriedTo: null,
          withdrawn: false,
        },
      ],
    })),
  "approval.marked": (state, event) =>
    onRun(state, event, (run) => ({
      approvals: onApproval(run.approvals, event.approvalId, { workspace: event.workspace }),
    })),
  "approval.decided": (state, event) =>
    onRun(state, event, (run) => {
      const { decision, by, reason = null, option } = event;
      const answer = { decision, by, reason, ...(option === undefined ? {} : { option }) };
      const approvals = onApproval(run.approvals, event.approvalId, answer);
      // An answer is single use: carrying it over uses it up.
      return {
        approvals:
          event.carriedFrom === undefined
            ? approvals
            : onApproval(approvals, event.carriedFrom, { delivered: true }),
      };
    }),
  "approval.delivered": (state, event) =>
    onRun(state, event, (run) => ({
      approvals: onApproval(run.approvals, event.approvalId, { delivered: true }),
    })),
  "result.delivered": (state, event) =>
    onRun(state, event, (run) => ({
      results: run.results.filter(({ waitId }) => waitId !== event.waitId),
    })),
  "approval.withdrawn": (state, event) =>
    onRun(state, event, (run) => ({
      approvals: onApproval(run.approvals, event.approvalId, { withdrawn: true }),
    })),
  "rule.granted": (state, event) => ({
    ...state,
    rules: [
      ...state.rules,
      {
        id: event.ruleId,
        toolName: event.toolName,
        pattern: event.pattern,
        scope: event.scope,
        runId: event.runId,
      },
    ],
  }),
  "rule.revoked": (state, event) => ({
    ...state,
    rules: state.rules.filter((rule) => rule.id !== event.ruleId),
  }),
  "token.minted": (state, event) =>
    onRun(state, event, (run) => ({
      waits: onWait(run, event.waitId, {
        id: event.tokenId,
        hash: event.hash,
        expiresAt: event.expiresAt,
        epoch: event.epoch ?? null,
        clock: event.clock ?? null,
        status: "active",
      }),
    })),
  "token.consumed": (state, event) => spend(state, event, "consumed", event.key ?? null),
  "token.revoked": (state, event) => spend(state, event, "revoked"),
  "token.expired": (state, event) => spend(state, event, "expired"),
};

/** Why an earlier answer was not used. Earlier versions recorded only that the input changed. */
export function askedAgainIn({ askedAgain, changedFrom }: Asking): AskedAgain | null {
  if (askedAgain !== undefined || changedFrom === undefined) return askedAgain ?? null;
  return { reason: "input_changed", approvalId: changedFrom };
}

type Asking = Pick<EventOf<"approval.requested">, "askedAgain" | "changedFrom">;

/**
 * A repeated question replaces its earlier answer, which may not be used any more. A question about
 * another input leaves that answer to the call that it was given for.
 */
function replaced(
  approvals: readonly ApprovalState[],
  { askedAgain, digest }: Pick<EventOf<"approval.requested">, "askedAgain" | "digest">,
): readonly ApprovalState[] {
  const earlier = approvals.find(({ id }) => id === askedAgain?.approvalId);
  return earlier === undefined || earlier.digest !== digest
    ? approvals
    : onApproval(approvals, earlier.id, { delivered: true });
}

/** Keeps the latest closed questions without input, so that a late answer gets the decision. */
function remembered(approvals: readonly ApprovalState[]): ApprovalState[] {
  const over = approvals.filter(isOver);
  const forgotten = new Set(over.slice(0, Math.max(0, over.length - stateLimits.approvalsOver)));
  return approvals
    .filter((approval) => !forgotten.has(approval))
    .map((approval) => {
      if (!isOver(approval) || approval.input === null) return approval;
      const { inputPreview: _beginning, ...rest } = approval;
      return { ...rest, input: null };
    });
}

function isOver(approval: ApprovalState): boolean {
  return approval.delivered || approval.withdrawn;
}

function onApproval(
  approvals: readonly ApprovalState[],
  id: string,
  change: Partial<ApprovalState>,
): ApprovalState[] {
  return approvals.map((approval) => (approval.id === id ? { ...approval, ...change } : approval));
}

function onWait(run: RunState, id: string, token: TokenState): WaitState[] {
  return run.waits.map((wait) => (wait.id === id ? { ...wait, token } : wait));
}

function spend(
  state: SessionState,
  event: { runId: string; tokenId: string; ts: string },
  status: "consumed" | "revoked" | "expired",
  key: string | null = null,
): SessionState {
  const wait = state.run?.waits.find((open) => open.token?.id === event.tokenId);
  if (wait === undefined || wait.token === null || state.run?.id !== event.runId) return state;
  const token = { ...wait.token, status };
  const spent = {
    id: token.id,
    runId: event.runId,
    waitId: wait.id,
    waitKind: wait.kind,
    hash: token.hash,
    status,
    key,
  };
  const next = onRun(state, event, (run) => ({ waits: onWait(run, wait.id, token) }));
  return { ...next, spentTokens: [...next.spentTokens, spent].slice(-stateLimits.spentTokens) };
}
