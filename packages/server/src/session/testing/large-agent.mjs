/**
 * An agent whose messages are large. `updates N` makes it send N updates of 1 MB, of a kind that
 * nobody knows. When its session is loaded it replays its prompts; a first prompt `replays N` is
 * followed by N answers of 1 MB.
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
    const [what, count] = text.split(" ");
    for (let n = 0; n < (what === "updates" ? Number(count) : 0); n++) {
      update("of_no_known_kind", "x".repeat(MB));
    }
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
