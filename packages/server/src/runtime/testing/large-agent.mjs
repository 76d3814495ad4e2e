/**
 * An agent whose replay is large: when its session is loaded it replays its prompts, and behind a
 * prompt `replays N` it has N answers of 1 MB.
 */

import { appendFileSync, readFileSync } from "node:fs";

const MB = 1024 * 1024;
const PROMPTS = "prompts";

const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionUpdate, text) =>
  say({
    method: "session/update",
    params: { sessionId: "s", update: { sessionUpdate, content: { type: "text", text } } },
  });

const methods = {
  initialize: (id) =>
    say({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }),
  "session/new": (id) => say({ id, result: { sessionId: "s" } }),
  "session/load"(id) {
    for (const prompt of readFileSync(PROMPTS, "utf8").trim().split("\n")) {
      update("user_message_chunk", prompt);
      const [what, count] = prompt.split(" ");
      for (let n = 0; n < (what === "replays" ? Number(count) : 1); n++) {
        update("agent_message_chunk", "x".repeat(MB));
        update("agent_thought_chunk", "x");
      }
    }
    say({ id, result: {} });
  },
  "session/prompt"(id, { prompt }) {
    const { text } = prompt.at(-1);
    appendFileSync(PROMPTS, `${text}\n`);
    say({ id, result: { stopReason: "end_turn" } });
  },
};

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    methods[method]?.(id, params);
  }
});
