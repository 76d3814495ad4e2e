/** An agent that floods the host; its prompt says with what and how much. It ignores cancels. */

import { once } from "node:events";
import { listen, say } from "./protocol.mjs";

const lineOf = (sessionUpdate, text) => {
  const update = { sessionUpdate, content: { type: "text", text } };
  const message = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } };
  return `${JSON.stringify(message)}\n`;
};

/** Writes with backpressure. */
async function write(chunk) {
  if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
}

/** Lines per write, so that this process uses little CPU. */
const TOGETHER = 64;
const MB = 1024 * 1024;

const floods = {
  /** `amount` bytes, in lines of 1 KB of text. */
  async bytes(amount) {
    const line = lineOf("agent_message_chunk", "x".repeat(1024));
    const chunk = line.repeat(TOGETHER);
    for (let written = 0; written < amount; written += chunk.length) await write(chunk);
  },
  /** `amount` events of alternating kinds, so that the host cannot merge them. */
  async events(amount) {
    const pair = lineOf("agent_message_chunk", "x") + lineOf("agent_thought_chunk", "y");
    const chunk = pair.repeat(TOGETHER);
    for (let written = 0; written < amount; written += 2 * TOGETHER) await write(chunk);
  },
  /** One line of `amount` bytes. */
  async line(amount) {
    const [head, tail] = lineOf("agent_message_chunk", "|").split("|");
    await write(head);
    for (let written = 0; written < amount; written += MB) await write("x".repeat(MB));
    await write(tail);
  },
  /** `count` updates of 1 MB, of an unknown kind. */
  async updates(count) {
    const line = lineOf("of_no_known_kind", "x".repeat(MB));
    for (let n = 0; n < count; n++) await write(line);
  },
  /** `count` requests of an unknown method, with ids of 30 MB. */
  async ids(count) {
    for (let n = 0; n < count; n++) {
      const id = `${n}`.padStart(30 * MB, "x");
      await write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "unknown/method" })}\n`);
    }
  },
  /** An endless line. */
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
