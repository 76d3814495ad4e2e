/**
 * Claude's question whether it may use a tool, put to the client.
 *
 * A question does not outlive its `claude`. The SDK (0.3.325) can put a call off, by `defer` in a
 * PreToolUse hook: the process ends, and the next one that resumes fires the hook again for the same
 * call with the same input, and goes on from there. That works, and is not used: it must be decided
 * before Claude's own rules say whether anyone is asked at all, so that each allowed call as well
 * would cost a restart and whatever runs in the background; and only for a call that is alone in its
 * message. Once a question is put there is only allow and deny, and of a call that was open when its
 * process died Claude makes nothing when it resumes. So the decision goes with the next prompt, and
 * the host answers by itself when Claude asks again for the same.
 */

import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionOutcome,
} from "@agentclientprotocol/sdk/unstable";
import type { JsonObject } from "../acp-shape.ts";
import type { Permission } from "./sdk.ts";
import { toolCallOf } from "./tools.ts";

/** For this once alone: what lasts longer is a rule of the host's, which people can see and end. */
const options: PermissionOption[] = [
  { optionId: "allow_once", kind: "allow_once", name: "Allow" },
  { optionId: "reject_once", kind: "reject_once", name: "Reject" },
];

export interface Question {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
}

/** "cancelled" when the client gave up the turn instead of answering. */
export async function ask(
  client: AgentContext,
  { sessionId, toolCallId, toolName, input }: Question,
  signal: AbortSignal,
): Promise<Permission | "cancelled"> {
  // A copy of its own: what was shown is what runs, whatever becomes of the object meanwhile.
  const shown = structuredClone(input);
  const { outcome } = await client.request(
    methods.client.session.requestPermission,
    { sessionId, toolCall: toolCallOf(toolCallId, toolName, shown), options },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  if (outcome.outcome === "cancelled") return "cancelled";
  return isAllowed(outcome)
    ? { behavior: "allow", updatedInput: shown }
    : { behavior: "deny", message: "The user does not want this tool call to be made." };
}

function isAllowed(outcome: RequestPermissionOutcome): boolean {
  return outcome.outcome === "selected" && outcome.optionId === "allow_once";
}
