/**
 * An agent that asks too many questions: `N` in its prompt is the number it asks at once. It
 * implements the part of the Agent Client Protocol that a host needs.
 */

const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const options = [
  { optionId: "allow_once", kind: "allow_once", name: "Allow" },
  { optionId: "reject_once", kind: "reject_once", name: "Reject" },
];

let open = 0;
let prompt = null;
const counts = { answered: 0, refused: 0 };

function ask(sessionId, n) {
  open = n;
  for (let i = 1; i <= n; i++) {
    const toolCall = { toolCallId: `call-${i}`, title: `Question ${i}`, rawInput: { i } };
    const params = { sessionId, toolCall, options };
    say({ id: `q${i}`, method: "session/request_permission", params });
  }
}

const methods = {
  initialize: (id) => say({ id, result: { protocolVersion: 1, agentCapabilities: {} } }),
  "session/new": (id) => say({ id, result: { sessionId: "s" } }),
  "session/prompt": (id, { sessionId, prompt: parts }) => {
    prompt = id;
    const n = Number(/\d+/.exec(parts[0]?.text ?? "")?.[0] ?? 0);
    if (n === 0) say({ id, result: { stopReason: "end_turn" } });
    else ask(sessionId, n);
  },
  "session/cancel": () => say({ id: prompt, result: { stopReason: "cancelled" } }),
};

function hear({ id, method, params, result, error }) {
  if (method !== undefined) return methods[method]?.(id, params);
  const isAnswer = error === undefined && result?.outcome?.outcome === "selected";
  counts[isAnswer ? "answered" : "refused"]++;
  if (--open > 0) return undefined;
  const text = `${counts.answered} answered, ${counts.refused} refused`;
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  say({ method: "session/update", params: { sessionId: "s", update } });
  return say({ id: prompt, result: { stopReason: "end_turn" } });
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) hear(JSON.parse(line));
});
