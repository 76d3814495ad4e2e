/**
 * The agent port. One prompt is one turn: a stream of what the agent says and does, which ends with
 * `ended`. A turn never throws for a failed run; a stream that stops without `ended` means that the
 * process is gone.
 */

import type { ApprovalDecision, Json, Message, Output } from "@holdfast/protocol";

export type AgentSays =
  | Output
  /** The prompt is in the agent's hands: sending it again would run it twice. */
  | { readonly type: "accepted" }
  | { readonly type: "ready"; readonly agentSessionId: string | null }
  | {
      readonly type: "permission";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
    }
  | {
      readonly type: "waiting";
      readonly kind: "tool_result" | "external";
      readonly deadlineAt: string;
    }
  | { readonly type: "ended"; readonly stopReason: string }
  | {
      readonly type: "failed";
      readonly error: { readonly code: string; readonly message: string; readonly status?: number };
      readonly way?: "rewind" | "fork" | "continue";
    };

/** What an answered question or a finished wait tells an agent that did not hear it live. */
export interface Carried {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly decision: ApprovalDecision;
}

export interface Prompt {
  readonly sessionId: string;
  readonly runId: string;
  readonly attempt: number;
  /** `prompt/<run>/<attempt>`: asking twice under one key must not run it twice. */
  readonly key: string;
  readonly way: "prompt" | "rewind" | "fork" | "continue";
  readonly content: string;
  readonly carried: readonly Carried[];
  /** Results of waits that ended while no agent was there to hear them. */
  readonly results: readonly Json[];
  /** What came before and the agent does not know; null when it knows all of it. */
  readonly history: readonly Message[] | null;
  /** What the launch that was cut off had done by then. */
  readonly cutOff: CutOff;
  /** The run before, which the agent may not remember whole; null where it does. */
  readonly earlier: (CutOff & { readonly request: string }) | null;
  /** What the latest runs put into files. */
  readonly written: readonly { readonly path: string; readonly bytes: number }[];
}

export interface CutOff {
  /** Of its tool rounds, counted from one. */
  readonly round: number;
  readonly partial: string;
  /** What is known of work that it had handed to an agent below it; null where it had not. */
  readonly coderState: string | null;
  /** Calls of which nobody knows whether they took effect. */
  readonly unknownCalls: readonly { readonly toolCallId: string; readonly name: string }[];
}

export interface Turn {
  readonly says: AsyncIterable<AgentSays>;
  answer(toolCallId: string, decision: ApprovalDecision): void;
  /** The result of a wait that was opened by `waiting`. */
  resume(result: Json): void;
  /** Asks the agent to stop; it goes on being read. */
  cancel(): void;
  /** Ends it. Resolves only when nothing of it can act any more. */
  kill(): Promise<void>;
}

export interface Agent {
  readonly name: string;
  prompt(prompt: Prompt): Turn;
}
