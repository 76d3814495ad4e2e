/** The runtimes of sessions, as the rest of the host uses them: revive, pause, end, inspect. */

import type { Grade, HostError, Receipt, Rung, SessionId, SessionState } from "@holdfast/protocol";

export type ReviveMode = "revive" | "continue" | "fresh";

export interface Resumed {
  readonly rung: Rung;
  readonly ms: number;
  readonly grade: Grade | null;
  readonly receipt: Receipt | null;
}

export interface Reviving {
  /** Resolves when `starting` is durable, or when there was nothing to start. */
  readonly started: Promise<void>;
  /** The result; null when the runtime was already up. The revive goes on also without a caller. */
  readonly done: Promise<Resumed | null>;
}

export interface Runtimes {
  /** Single flight: concurrent callers share one launch and its result. */
  revive(session: SessionId, mode: ReviveMode): Reviving;
  /** Pauses the session: its agent ends, and everything that a revive needs is kept. */
  pause(session: SessionId): Promise<void>;
  /** Ends the session and its agent for good. */
  end(session: SessionId): Promise<void>;
  /** The reason why the agent of this name cannot be used; null when it can. */
  refuseAgent(name: string): HostError | null;
  /**
   * Pins the agent's definition for a new session and returns its hash; null without a definition.
   */
  pinDefinition(agentName: string): Promise<string | null>;
  /** The reason why sessions of this tenant may not work in that directory; null when they may. */
  refuseWorkspace(path: string, tenant: string): Promise<HostError | null>;
  /** True when the session's workspace exists. */
  workspaceOk(state: SessionState): Promise<boolean>;
  /** The rung that a revive would try first. */
  nextRung(state: SessionState): Rung | null;
  /** Demo sessions only: kills the named process, to show the recovery. */
  break(session: SessionId, what: "host" | "holder" | "agent"): Promise<void>;
}
