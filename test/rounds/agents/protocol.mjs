/** The part of the Agent Client Protocol that a host needs from an agent. */

export const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

export const update = (sessionUpdate, text) =>
  say({
    method: "session/update",
    params: { sessionId: "s", update: { sessionUpdate, content: { type: "text", text } } },
  });

/** Calls the method that each line names; the host's responses go to `answered`. */
export function listen(methods) {
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (text) => {
    // A long line comes in many pieces; each piece is searched once.
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
