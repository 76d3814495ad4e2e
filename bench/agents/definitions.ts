/**
 * Agents that run in their own processes, as rows of the host's table; the floor starts the same
 * processes.
 */

import { fileURLToPath } from "node:url";
import {
  type AgentDefinition,
  allowed,
  demoAgent,
} from "../../packages/server/src/agents/table/table.ts";

const stubMain = fileURLToPath(new URL("./stub.ts", import.meta.url));

/** An agent without memory. */
const stub: AgentDefinition = {
  name: "stub",
  resume: "none",
  history: "never",
  missing: () => null,
  version: () => "0",
  launch: ({ workspace }) => ({
    command: process.execPath,
    args: [stubMain],
    cwd: workspace,
    env: allowed(process.env),
  }),
};

/** The stub with memory: it can load its sessions. */
const keeper: AgentDefinition = {
  ...stub,
  name: "keeper",
  resume: "native",
  history: "fallback",
  launch(place) {
    const spec = stub.launch(place);
    return { ...spec, env: { ...spec.env, STUB_STATE: place.state } };
  },
};

/** The keeper, except that the host puts the history into its prompt. */
const told: AgentDefinition = { ...keeper, name: "told", resume: "none", history: "inject" };

const demo = demoAgent({ ...process.env, HOLDFAST_DEMO_PACE_MS: "0" });

export const definitions: readonly AgentDefinition[] = [stub, keeper, told, demo];

export function definitionOf(name: string): AgentDefinition {
  const found = definitions.find((agent) => agent.name === name);
  if (found === undefined) throw new Error(`no agent is named ${name}`);
  return found;
}

/**
 * The prompt of turn `n`. The demo agent repeats it; the stub answers any text with one turn of
 * work.
 */
export const turnText = (n: number) => `/say The empty file of case ${n} never had a last line.`;
