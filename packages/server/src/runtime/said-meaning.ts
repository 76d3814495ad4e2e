/** The meaning of what an agent inside this process says, in the words of `Meaning`. */

import type { Json } from "@holdfast/protocol";
import type { Meaning } from "../agents/acp/acp.ts";
import type { RunAttempt, SaidFrame } from "./agent-link.ts";

/** Meanings that frames of a holder do not have. */
export type SaidMeaning =
  | { readonly type: "ready"; readonly agentSessionId: string | null }
  | (RunAttempt & {
      readonly type: "asked";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
    })
  | (RunAttempt & {
      readonly type: "waiting";
      readonly kind: "tool_result" | "external";
      readonly deadlineAt: string;
    })
  | (RunAttempt & { readonly type: "resumed"; readonly waitId: string });

export function saidMeaning({ said, launch }: SaidFrame): Meaning | SaidMeaning {
  switch (said.type) {
    case "accepted":
      return { ...said, ...launch };
    case "ready":
    case "exited":
      return said;
    case "permission":
      return { ...said, type: "asked", ...launch };
    case "answered":
      return { type: "delivered", approvalId: said.approvalId };
    case "waiting":
    case "resumed":
    case "failed":
      return { ...said, ...launch };
    case "ended":
      return { ...said, ...launch, usage: null, lastMessageId: null };
    default:
      return { type: "output", output: [said] };
  }
}
