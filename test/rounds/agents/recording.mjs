/**
 * An agent that records every prompt before it answers, in `prompts` of its working directory. It
 * repeats its prompt and ends; `hold` continues until it is cancelled.
 */

import { appendFileSync } from "node:fs";
import { listen, say, update } from "./protocol.mjs";

let held = null;

listen({
  initialize: (id) =>
    say({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }),
  "session/new": (id) => say({ id, result: { sessionId: "s" } }),
  "session/load": (id) => say({ id, result: {} }),
  "session/prompt"(id, { prompt }) {
    const text = prompt.at(-1).text;
    appendFileSync("prompts", `${text}\n`);
    update("agent_message_chunk", text);
    if (text.startsWith("hold")) held = id;
    else say({ id, result: { stopReason: "end_turn" } });
  },
  "session/cancel"() {
    if (held !== null) say({ id: held, result: { stopReason: "cancelled" } });
    held = null;
  },
});
