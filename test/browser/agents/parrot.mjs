/**
 * An agent that sends what its prompt says, in every field of the protocol: the prompt is JSON with
 * the `updates` to send, the `questions` to ask all at once, and an optional `error` to end with.
 * With `hold` it works until it is cancelled.
 */

const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const options = [
  { optionId: "allow_once", kind: "allow_once", name: "Allow" },
  { optionId: "reject_once", kind: "reject_once", name: "Reject" },
];

let open = 0;
let end = () => {};
let cancel = () => {};

const methods = {
  initialize: (id) => say({ id, result: { protocolVersion: 1, agentCapabilities: {} } }),
  "session/new": (id) => say({ id, result: { sessionId: "s" } }),
  "session/prompt"(id, { prompt }) {
    const { updates = [], questions = [], error, hold = false } = JSON.parse(prompt[0].text);
    for (const update of updates)
      say({ method: "session/update", params: { sessionId: "s", update } });
    end = () =>
      say(
        error === undefined
          ? { id, result: { stopReason: "end_turn" } }
          : { id, error: { code: -32603, message: error } },
      );
    open = questions.length;
    questions.forEach((toolCall, i) => {
      const params = { sessionId: "s", toolCall, options };
      say({ id: `q${i}`, method: "session/request_permission", params });
    });
    cancel = () => say({ id, result: { stopReason: "cancelled" } });
    if (open === 0 && !hold) end();
  },
  "session/cancel": () => cancel(),
};

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (method !== undefined) methods[method]?.(id, params);
    else if (--open === 0) end();
  }
});
