/** `serve --json` with the agent of `asking-agent.mjs`. Takes the same flags. */

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serve } from "@holdfast/server";

const string = { type: "string" } as const;
const { values } = parseArgs({
  options: { data: string, port: string, json: { type: "boolean" } },
  allowPositionals: true,
});

const { url, token, host } = await serve({
  data: values.data ?? "",
  host: "127.0.0.1",
  port: Number(values.port),
  names: [],
  agents: [
    {
      name: "asking",
      resume: "none",
      history: "never",
      missing: () => null,
      version: () => null,
      launch: ({ workspace }) => ({
        command: process.execPath,
        args: [fileURLToPath(new URL("./asking-agent.mjs", import.meta.url))],
        cwd: workspace,
        env: { PATH: process.env.PATH ?? "" },
      }),
    },
  ],
});
process.stdout.write(`${JSON.stringify({ ready: true, url, token, bootId: host.bootId })}\n`);
