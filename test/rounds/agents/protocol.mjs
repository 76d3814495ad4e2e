/** As much of the Agent Client Protocol as a host needs an agent to speak. */

export const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

export const update = (sessionUpdate, text) =>
  say({
    method: "session/update",
    params: { sessionId: "s", update: { sessionUpdate, content: { type: "text", text } } },
  });

/** Calls the method that each line names; an answer of the host goes to `answered`. */
export function listen(methods) {
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (text) => {
    // A long line comes in many pieces: it is looked through once.
    if (!text.includes("\n")) {
      rest += text;
      return;
    }
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { id, method, params, result } = JSON.parse(line);
      if (method === undefined) methods.answered?.(id, result);
      else methods[method]?.(id, params);
    }
  });
}
