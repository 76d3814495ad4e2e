/** What runs a session, as the rest of the host sees it: bring it up, put it away, look at it. */

import type { Grade, HostError, Receipt, Rung, SessionId, SessionState } from "@holdfast/protocol";

export type ReviveMode = "revive" | "continue" | "fresh";

export interface Resumed {
  readonly rung: Rung;
  readonly ms: number;
  readonly grade: Grade | null;
  readonly receipt: Receipt | null;
}

export interface Reviving {
  /** Resolves as soon as `starting` is durable, or there was nothing to start. */
  readonly started: Promise<void>;
  /** Null when it was up already. Goes on whether or not anyone waits for it. */
  readonly done: Promise<Resumed | null>;
}

export interface Runtimes {
  /** Single flight: however many ask, one launch, and all get its answer. */
  revive(session: SessionId, mode: ReviveMode): Reviving;
  /** Pauses the session: its agent ends, and what it needs to come back is kept. */
  pause(session: SessionId): Promise<void>;
  /** Ends the session, and its agent for good. */
  end(session: SessionId): Promise<void>;
  /** Why no session can be had with the agent of this name, where it cannot. */
  refuseAgent(name: string): HostError | null;
  /** The agent definition that a new session keeps, by its hash; null where the agent has none. */
  pinDefinition(agentName: string): Promise<string | null>;
  /** Why no session of this tenant may work in that directory, where it must not. */
  refuseWorkspace(path: string, tenant: string): Promise<HostError | null>;
  /** Whether the session's files are where its record says. */
  workspaceOk(state: SessionState): Promise<boolean>;
  /** The rung that a revive would try first. */
  nextRung(state: SessionState): Rung | null;
  /** Demo sessions only: kills what is named, as a test of everything else. */
  break(session: SessionId, what: "host" | "holder" | "agent"): Promise<void>;
}
