/** An agent whose prompt is the permission request to make, as JSON. It repeats the answer. */

import { listen, say, update } from "./protocol.mjs";

let prompt = 0;

listen({
  initialize: (id) => say({ id, result: { protocolVersion: 1, agentCapabilities: {} } }),
  "session/new": (id) => say({ id, result: { sessionId: "s" } }),
  "session/prompt"(id, params) {
    prompt = id;
    const { toolCall, options } = JSON.parse(params.prompt[0].text);
    const asked = { toolCallId: `call_${id}`, status: "pending", ...toolCall };
    say({
      id: `ask_${id}`,
      method: "session/request_permission",
      params: { sessionId: "s", toolCall: asked, options },
    });
  },
  answered(_id, { outcome }) {
    update("agent_message_chunk", `I was told ${outcome.optionId ?? outcome.outcome}.`);
    say({ id: prompt, result: { stopReason: "end_turn" } });
  },
});
