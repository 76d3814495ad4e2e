/** The agents in processes of their own, as the host's table has them; the floor starts the same. */

import { fileURLToPath } from "node:url";
import {
  type AgentDefinition,
  allowed,
  demoAgent,
} from "../../packages/server/src/agents/table.ts";

const stubMain = fileURLToPath(new URL("./stub.ts", import.meta.url));

/** Remembers nothing. */
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

/** The same process, and it can load its sessions. */
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

/** The same again, but the host is to tell it the history instead. */
const told: AgentDefinition = { ...keeper, name: "told", resume: "none", history: "inject" };

const demo = demoAgent({ ...process.env, HOLDFAST_DEMO_PACE_MS: "0" });

export const definitions: readonly AgentDefinition[] = [stub, keeper, told, demo];

export function definitionOf(name: string): AgentDefinition {
  const found = definitions.find((agent) => agent.name === name);
  if (found === undefined) throw new Error(`no agent is named ${name}`);
  return found;
}

/** The demo agent says it again; the stub takes whatever it is told for a turn's work. */
export const turnText = (n: number) => `/say The empty file of case ${n} never had a last line.`;
