/**
 * An agent that hangs at the first load of its session: it does not answer, and ignores SIGTERM and
 * the end of its stdin.
 */

import { existsSync, writeFileSync } from "node:fs";
import { listen, say, update } from "./protocol.mjs";

const HUNG = "hung";

listen({
  initialize: (id) =>
    say({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }),
  "session/new": (id) => say({ id, result: { sessionId: "s" } }),
  "session/load"(id) {
    if (existsSync(HUNG)) return say({ id, result: {} });
    writeFileSync(HUNG, "");
    process.on("SIGTERM", () => undefined);
    return setInterval(() => undefined, 1000);
  },
  "session/prompt"(id) {
    update("agent_message_chunk", "here");
    say({ id, result: { stopReason: "end_turn" } });
  },
});
