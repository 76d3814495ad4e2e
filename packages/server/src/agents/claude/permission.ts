/**
 * Passes Claude's permission requests to the client. A request does not survive its `claude`
 * process. The SDK (0.3.325) can defer a call, by `defer` in a PreToolUse hook: the process ends,
 * and the next process that resumes fires the hook again with the same input and continues from
 * there. The bridge does not use this. The hook must decide before Claude's own rules say whether
 * the person is asked, so every allowed call would also cost a restart and all background work; and
 * it works only for a call that is alone in its message. Once the request is sent, the only answers
 * are allow and deny, and on resume Claude drops a call that was open when its process died. So the
 * decision goes with the next prompt, and the host answers by itself when Claude asks the same
 * again.
 */

import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionOutcome,
} from "@agentclientprotocol/sdk/unstable";
import { type JsonObject, objectAt, textOf } from "../acp/acp-shape.ts";
import type { Permission } from "./sdk.ts";
import { toolCallOf } from "./tools.ts";

/** One-time options only: a lasting permission is a rule of the host, which people can see. */
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

/** Asks the client; "cancelled" when the client ended the turn without an answer. */
export async function askPermission(
  client: AgentContext,
  { sessionId, toolCallId, toolName, input }: Question,
  signal: AbortSignal,
): Promise<Permission | "cancelled"> {
  // A copy, so that the input that was shown is the input that runs, even if the object changes.
  const shown = structuredClone(input);
  const { outcome, _meta } = await client.request(
    methods.client.session.requestPermission,
    { sessionId, toolCall: toolCallOf(toolCallId, toolName, shown), options },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  if (outcome.outcome === "cancelled") return "cancelled";
  return isAllowed(outcome)
    ? { behavior: "allow", updatedInput: shown }
    : { behavior: "deny", message: refusal(textOf(objectAt(_meta, "holdfast")?.reason, REASON)) };
}

/** The most characters of a reason that the host accepts. */
const REASON = 4096;

function refusal(reason: string | null): string {
  const refused = "The user does not want this tool call to be made.";
  return reason === null ? refused : `${refused} The user's reason: ${reason}`;
}

function isAllowed(outcome: RequestPermissionOutcome): boolean {
  return outcome.outcome === "selected" && outcome.optionId === "allow_once";
}
