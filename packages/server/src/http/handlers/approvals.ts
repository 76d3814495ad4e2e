/** Handlers of approvals and standing rules. */

import { approvalView, HostError, isId } from "@holdfast/protocol";
import { signed } from "../request/actor.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { presentedToken } from "../request/resolve-ids.ts";

type Names = "decideApproval" | "listRules" | "revokeRule";

export function approvalHandlers({ host: { sessions } }: HandlerDeps): HandlersOf<Names> {
  return {
    async decideApproval({ caller, at, params: { approvalId: named }, body, idempotencyKey }) {
      const { token, key = idempotencyKey, ...rest } = body;
      const decision = body.decision === "approve" ? "allow" : body.decision;
      const { state } = await sessions.ask(at.session, "decide", {
        ...rest,
        ...(isId("approval", named) ? { approvalId: named } : { toolCallId: named }),
        runId: at.runId,
        decision,
        ...signed(caller),
        token: token === undefined ? undefined : presentedToken(token),
        key,
      });
      const asked = state.run?.approvals.findLast(
        ({ id, toolCallId }) => id === named || toolCallId === named,
      );
      if (asked === undefined) {
        throw new HostError("approval_not_found", "This question is no longer open.");
      }
      // The first answer stands; `success` says whether it equals this one.
      const isChosen = body.option === undefined || asked.option === body.option;
      return {
        success: asked.decision === decision && isChosen,
        approval: approvalView(asked, state.run?.approvals),
        seq: state.seq,
      };
    },

    listRules: ({ at }) => ({ rules: [...at.state.rules] }),

    async revokeRule({ at, params: { ruleId } }) {
      const { state } = await sessions.ask(at.session, "revokeRule", { ruleId });
      return { rules: [...state.rules] };
    },
  };
}
