/** `serve --json` with the demo agent and those of `agents/`. Takes the same flags. */

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Config, readConfig, serve } from "@holdfast/server";

type AgentDefinition = Config["agents"][number];

const string = { type: "string" } as const;
const { values } = parseArgs({
  options: { data: string, port: string, json: { type: "boolean" } },
  allowPositionals: true,
});

const scripted = (name: string, resume: AgentDefinition["resume"]): AgentDefinition => ({
  name,
  resume,
  history: "never",
  missing: () => null,
  version: () => null,
  launch: ({ workspace }) => ({
    command: process.execPath,
    args: [fileURLToPath(new URL(`./agents/${name}.mjs`, import.meta.url))],
    cwd: workspace,
    env: { PATH: process.env.PATH ?? "" },
  }),
});

const config = readConfig({ data: values.data, port: values.port });
const { url, token, host } = await serve({
  ...config,
  agents: [
    ...config.agents,
    scripted("flooding", "none"),
    scripted("recording", "native"),
    scripted("stubborn", "native"),
    scripted("asking", "none"),
  ],
});
process.stdout.write(`${JSON.stringify({ ready: true, url, token, bootId: host.bootId })}\n`);
