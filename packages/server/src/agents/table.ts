/** Agents are data: how each is started, and what it is good for. */

import { fileURLToPath } from "node:url";
import type { AgentView, Json } from "@holdfast/protocol";
import type { LaunchSpec } from "../holder/frames.ts";
import { nodeFlags } from "../node-flags.ts";

export interface AgentPlace {
  /** Where it works. */
  readonly workspace: string;
  /** Its own state, kept for the session. */
  readonly state: string;
  /** As the session's pinned definition has them. */
  readonly mcpServers: readonly Json[];
}

export interface AgentDefinition {
  readonly name: string;
  /** `native`: it can load its own session again, and is asked to. */
  readonly resume: "native" | "none";
  readonly history: "inject" | "fallback" | "never";
  /** The mode of its session in which it asks its user, where it does not begin in it. */
  readonly mode?: string;
  /** For how long (ms) its replay may go on after it said that its session is loaded. */
  readonly lateReplay?: number;
  /** Null when it can be started here, else what to do about it. */
  missing(): string | null;
  version(): string | null;
  launch(place: AgentPlace): LaunchSpec;
}

/** What of the host's environment an agent may see. */
const inherited = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", "USER", "SHELL"];

export function allowed(
  env: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const known = inherited.flatMap((name): [string, string][] => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(known), ...extra };
}

const isSource = import.meta.url.endsWith(".ts");
const demoMain = new URL(isSource ? "./demo/main.ts" : "./demo/main.js", import.meta.url);

/** The agent that needs no key: it works for real, and obeys words in the prompt. */
export function demoAgent(version: string, env: NodeJS.ProcessEnv): AgentDefinition {
  return {
    name: "demo",
    resume: "native",
    history: "fallback",
    missing: () => null,
    version: () => version,
    launch: ({ workspace, state }) => ({
      command: process.execPath,
      args: [...nodeFlags(), fileURLToPath(demoMain)],
      cwd: workspace,
      env: allowed(env, {
        HOLDFAST_AGENT_STATE: state,
        ...pick(env, "HOLDFAST_DEMO_PACE_MS"),
      }),
    }),
  };
}

function pick(env: NodeJS.ProcessEnv, name: string): Record<string, string> {
  const value = env[name];
  return value === undefined ? {} : { [name]: value };
}

export function agentView(agent: AgentDefinition): AgentView {
  const missing = agent.missing();
  const { name, resume, history } = agent;
  return { name, installed: missing === null, version: agent.version(), resume, history, missing };
}
