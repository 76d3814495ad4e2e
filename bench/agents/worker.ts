/**
 * The output of a working agent: a plan, thoughts, and tool calls whose output grows, all in small
 * deltas.
 */

import type { AgentSays } from "../../packages/server/src/agents/agent.ts";

const words = [
  "## The last line\n\nThe reader drops a line that has **no newline** behind it.",
  "\n\n```ts\nconst rest = buffer.slice(at);\nif (rest !== '') lines.push(rest);\n```\n",
  "\n- `read.ts` keeps what is left\n- `read.test.ts` shows an empty file\n\n",
  "That is a change of one line, and the tests say whether it holds. ",
];

/** Deltas per tool call; text and thoughts come between its output. */
const CALL = 20;

/**
 * The nth delta. Its kind differs from the one before, because the host would merge equal kinds
 * into one event.
 */
export function workOf(n: number): AgentSays[] {
  const call = `call_${Math.floor(n / CALL)}`;
  const place = n % CALL;
  if (place === 0) {
    const input = { command: `npm test -- read.${n}.test.ts` };
    return [{ type: "tool_started", toolCallId: call, name: "Bash", input, gated: false }];
  }
  if (place === CALL - 1) {
    const output = `${n} passed`;
    return [{ type: "tool_finished", toolCallId: call, status: "completed", output }];
  }
  if (place % 2 === 1) {
    return [{ type: "tool_updated", toolCallId: call, output: `ok ${n} - keeps the line\n` }];
  }
  if (place % 6 === 0) return [{ type: "thinking", text: `Which case is left after ${n}? ` }];
  return [{ type: "text", text: words[(n / 2) % words.length] ?? "" }];
}

/** The nth part of a long answer: text, or a call that finishes at once. */
export function partOf(n: number): AgentSays[] {
  if (n % 2 === 0) return [{ type: "text", text: `Step ${n}: ${words[(n / 2) % words.length]}` }];
  const toolCallId = `call_${n}`;
  const input = { command: `npm test -- read.${n}.test.ts` };
  return [
    { type: "tool_started", toolCallId, name: "Bash", input, gated: false },
    { type: "tool_finished", toolCallId, status: "completed", output: `ok ${n} - keeps the line` },
  ];
}
