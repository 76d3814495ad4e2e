/** One row of the agent table: plain data, so that a person can write one in the config file. */

import type { AgentView } from "@holdfast/protocol";

/** A way to find an agent's program; the first that is found is started. */
export type Way =
  /** A command of a package. A JavaScript command runs on Holdfast's own Node. */
  | { readonly npm: string; readonly bin: string; readonly args: readonly string[] }
  /**
   * A native program in a package's platform package; `{platform}` and `{arch}` are this machine's.
   * For packages whose command is a wrapper that can die alone and leave the agent running.
   */
  | { readonly npm: string; readonly native: string; readonly args: readonly string[] }
  /** An executable on the PATH, or at an absolute path. */
  | { readonly bin: string; readonly args: readonly string[] }
  /** An agent that ships with Holdfast; it may drive a package that the person installs. */
  | { readonly ours: "demo" }
  | { readonly ours: "claude"; readonly npm: string };

export interface AgentRow {
  readonly name: string;
  readonly title: string;
  readonly ways: readonly Way[];
  /** A command for a terminal, or advice that completes "To get it: …". Null for our own agent. */
  readonly install: NonNullable<AgentView["install"]> | null;
  /** Variables of the host's environment that the agent may see, mostly credentials. */
  readonly pass: readonly string[];
  /** Variables for the agent; `{home}`, `{state}` and `{workspace}` are placeholders. */
  readonly env: Readonly<Record<string, string>>;
  /** Hosts the agent must reach, for operators who restrict the network. */
  readonly hosts: readonly string[];
  /** Variables that name the agent's directories, with their paths in a private home. */
  readonly home: Readonly<Record<string, string>>;
  /** Paths in the home where the agent keeps its sessions; native resume needs them. */
  readonly keeps: readonly string[];
  readonly resume: "native" | "none";
  /** When the prompt has the history: always, when native resume fails, or never. */
  readonly history: "inject" | "fallback" | "never";
  /** True when a test has frozen the agent and it continued its work afterwards. */
  readonly freeze: boolean;
  readonly mode?: string;
  readonly lateReplay?: number;
  /** The version that `npm run test:agents` was run with; absent when the agent is untested. */
  readonly tested?: string;
  /** The login command, and the variables or files that show a login. */
  readonly login?: {
    readonly how: string;
    readonly env: readonly string[];
    readonly files: readonly string[];
  };
  /** Peculiarities a person should know, with the reason. */
  readonly quirks: readonly string[];
}
