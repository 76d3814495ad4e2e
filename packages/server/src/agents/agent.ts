/**
 * The port of agents inside the host process. One prompt is one turn: a stream of the agent's output
 * that ends with `ended` or `failed` and does not throw. A stream that stops without either means
 * that the agent is gone.
 */

import type {
  ApprovalDecision,
  Json,
  Message,
  Output,
  ToolPart,
  WorkspaceLoss,
} from "@holdfast/protocol";

export type AgentSays =
  | Output
  /** The agent has received the prompt; sending it again would run it twice. */
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

/** A decision made while the agent was not running, passed on with the next prompt. */
export interface Carried {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly decision: ApprovalDecision;
  readonly reason: string | null;
}

export interface Prompt {
  readonly sessionId: string;
  readonly runId: string;
  readonly attempt: number;
  /** `prompt/<run>/<attempt>`: a second prompt with the same key must not run again. */
  readonly key: string;
  readonly way: "prompt" | "rewind" | "fork" | "continue";
  readonly content: string;
  readonly carried: readonly Carried[];
  /** Results of waits that ended while the agent was not running. */
  readonly results: readonly Json[];
  /** Earlier messages that the agent does not know; null when it knows all of them. */
  readonly history: readonly Message[] | null;
  readonly cutOff: CutOff;
  /** The previous run, when the agent may remember it only in part; else null. */
  readonly earlier: (CutOff & { readonly request: string }) | null;
  /** The loss of its folder that the agent does not know yet; else null. */
  readonly lost: WorkspaceLoss | null;
  readonly written: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly isTouched: boolean;
  }[];
}

type Call = Pick<ToolPart, "toolCallId" | "name" | "input">;

export interface CutOff {
  /** Number of the tool round, from 1. */
  readonly round: number;
  readonly partial: string;
  /** Last known state of work handed to a subagent; null when it handed on no work. */
  readonly coderState: string | null;
  readonly unknownCalls: readonly Call[];
  /** Calls that were completed, oldest first: an agent that begins its turn anew must not repeat them. */
  readonly doneCalls: readonly Call[];
}

export interface Turn {
  readonly says: AsyncIterable<AgentSays>;
  answer(toolCallId: string, decision: ApprovalDecision): void;
  resume(result: Json): void;
  cancel(): void;
  /** Ends the agent. Resolves when all its processes are gone. */
  kill(): Promise<void>;
}

export interface Agent {
  readonly name: string;
  prompt(prompt: Prompt): Turn;
}
