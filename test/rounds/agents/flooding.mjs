/** An agent that says too much: its prompt is what, and how much of it. It listens to nobody. */

import { once } from "node:events";
import { listen, say } from "./protocol.mjs";

const lineOf = (sessionUpdate, text) => {
  const update = { sessionUpdate, content: { type: "text", text } };
  const message = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } };
  return `${JSON.stringify(message)}\n`;
};

/** As fast as stdout takes it, and not kept here. */
async function write(chunk) {
  if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
}

/** So that this process costs little beside those it floods. */
const TOGETHER = 64;
const MB = 1024 * 1024;

const floods = {
  /** So many bytes, in lines of 1 KB of text. */
  async bytes(amount) {
    const line = lineOf("agent_message_chunk", "x".repeat(1024));
    const chunk = line.repeat(TOGETHER);
    for (let written = 0; written < amount; written += chunk.length) await write(chunk);
  },
  /** So many events: no two that follow each other can be taken together. */
  async events(amount) {
    const pair = lineOf("agent_message_chunk", "x") + lineOf("agent_thought_chunk", "y");
    const chunk = pair.repeat(TOGETHER);
    for (let written = 0; written < amount; written += 2 * TOGETHER) await write(chunk);
  },
  /** One line of so many bytes. */
  async line(amount) {
    const [head, tail] = lineOf("agent_message_chunk", "|").split("|");
    await write(head);
    for (let written = 0; written < amount; written += MB) await write("x".repeat(MB));
    await write(tail);
  },
  /** So many updates of 1 MB, of a kind that nobody knows. */
  async updates(count) {
    const line = lineOf("of_no_known_kind", "x".repeat(MB));
    for (let n = 0; n < count; n++) await write(line);
  },
  /** So many requests that nobody offers, with ids of 30 MB. */
  async ids(count) {
    for (let n = 0; n < count; n++) {
      const id = `${n}`.padStart(30 * MB, "x");
      await write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "unknown/method" })}\n`);
    }
  },
  /** No newline, ever. */
  async endless() {
    for (;;) await write("x".repeat(MB));
  },
};

listen({
  initialize: (id) => say({ id, result: { protocolVersion: 1, agentCapabilities: {} } }),
  "session/new": (id) => say({ id, result: { sessionId: "s" } }),
  async "session/prompt"(id, { prompt }) {
    const [what, amount] = prompt[0].text.split(" ");
    await floods[what](Number(amount));
    say({ id, result: { stopReason: "end_turn" } });
  },
});
