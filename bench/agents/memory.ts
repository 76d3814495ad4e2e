/**
 * The stub's session files. They hold the exact lines of the replay, so that a load costs the agent
 * almost no time and the measured time is the host's.
 */

import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const answer =
  "The parser reads one token too far, so the check moves before the loop; every case passes now.";

export class Memory {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Creates a session; returns its id. */
  create(): string {
    const sessionId = randomUUID();
    writeFileSync(this.#path(sessionId), "");
    return sessionId;
  }

  /** The lines of a session's replay; null when the session does not exist. */
  replay(sessionId: string): Buffer | null {
    const path = this.#path(sessionId);
    return existsSync(path) ? readFileSync(path) : null;
  }

  /** The output of a turn with one tool call; also stored with its prompt. */
  turn(sessionId: string, asked: string): string {
    const toolCallId = `call_${randomUUID()}`;
    const content = [{ type: "content", content: { type: "text", text: answer } }];
    const said = [
      { sessionUpdate: "tool_call", toolCallId, title: "read", kind: "read", rawInput },
      { sessionUpdate: "tool_call_update", toolCallId, status: "completed", content },
      chunk("agent_message_chunk", answer),
    ];
    const lines = said.map((update) => lineOf(sessionId, update)).join("");
    const heard = lineOf(sessionId, chunk("user_message_chunk", asked));
    appendFileSync(this.#path(sessionId), heard + lines);
    return lines;
  }

  #path(sessionId: string): string {
    return join(this.#dir, `${sessionId}.jsonl`);
  }
}

const rawInput = { path: "src/parser.ts" };

const chunk = (sessionUpdate: string, text: string) => ({
  sessionUpdate,
  content: { type: "text", text },
});

function lineOf(sessionId: string, update: object): string {
  const params = { sessionId, update };
  return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`;
}
