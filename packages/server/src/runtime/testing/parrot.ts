/**
 * An ACP agent that sends what its prompt, a JavaScript object, contains: a list of `updates` and
 * one `question`. The prompt is an expression, because it can be shorter than the output.
 */

import type { AgentDefinition } from "../../agents/table/table.ts";
import { env } from "./place.ts";

const script = `
  const say = (line) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...line }) + "\\n");
  let prompt;
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
    if (method === "session/new") say({ id, result: { sessionId: "s" } });
    if (method === "session/prompt") {
      prompt = id;
      const { updates = [], question } = new Function("return " + params.prompt[0].text)();
      for (const update of updates) {
        say({ method: "session/update", params: { sessionId: "s", update } });
      }
      if (question === undefined) say({ id, result: { stopReason: "end_turn" } });
      else say({ id: "q", method: "session/request_permission", params: { sessionId: "s", ...question } });
    }
    if (method === undefined) say({ id: prompt, result: { stopReason: "end_turn" } });
  });
`;

export const parrot: AgentDefinition = {
  name: "demo",
  resume: "none",
  history: "never",
  missing: () => null,
  version: () => null,
  launch: ({ workspace: cwd }) => ({ command: process.execPath, args: ["-e", script], cwd, env }),
};
