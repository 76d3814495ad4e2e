/** A connection's link to its agent: in a holder (`HolderLink`), or here (`InProcessLink`). */

import type { ApprovalState, Json, WaitResult } from "@holdfast/protocol";
import type { AgentSays, Prompt } from "../agents/agent.ts";
import type { Ending, Frame, HolderHello, RpcLine } from "../holder/spool/frames.ts";
import type { WorkspaceFindings } from "../workspace/workspace-findings.ts";

export interface RunAttempt {
  readonly runId: string;
  readonly attempt: number;
}

/** A message of an agent inside this process, or an action on it. */
export interface SaidFrame {
  readonly n: number;
  readonly k: "said";
  readonly launch: RunAttempt;
  readonly said:
    | AgentSays
    | { readonly type: "answered"; readonly approvalId: string }
    | { readonly type: "resumed"; readonly waitId: string }
    | { readonly type: "exited"; readonly reason: string };
}

export type AgentFrame = Frame | SaidFrame;

/** A prompt with all that a link may need to send it. */
export interface SentPrompt {
  readonly prompt: Prompt;
  readonly found: WorkspaceFindings;
  readonly results: readonly WaitResult[];
  readonly agentSessionId: string | null;
}

export interface AgentLink {
  readonly hello: Pick<HolderHello, "last" | "agent" | "pending">;
  /** Frames in order, one batch per read. Ends with the link. */
  readonly frames: AsyncIterable<readonly AgentFrame[]>;
  readonly bytesRead: number;
  /** True when the link takes no further prompt. */
  readonly isOver: boolean;
  prompt(key: string, sent: SentPrompt): void;
  /** Asks the agent to stop; its output is still read. */
  cancel(key: string, agentSessionId: string | null): void;
  answer(key: string, approval: ApprovalState, isCancelled: boolean): void;
  resume(waitId: string, result: Json): void;
  /** Refuses the agent's request in frame `n`, which no person can answer. */
  refuse(n: number, why: "unsupported" | "cancelled", method: string): void;
  /** Stops all processes of the agent, or lets them go on; false when the link cannot. */
  setFrozen(key: string, isFrozen: boolean): boolean;
  /** Passes on the agent's answer to the request under `key`. */
  answered(key: string, line: RpcLine): void;
  rejectRequests(reason: string): void;
  ack(n: number): void;
  end(ending: Ending, leave: boolean): void;
  close(): void;
  drop(): void;
}
