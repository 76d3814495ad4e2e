/** The steps that ask the user before they continue. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolCall } from "@agentclientprotocol/sdk";
import { textContent } from "../acp/text-content.ts";
import type { DemoTurn, PermissionAnswer } from "./turn.ts";
import type { Step } from "./words.ts";

export async function askQuestions(turn: DemoTurn, step: Step): Promise<void> {
  for (let i = 1; i <= step.number; i++) {
    const { call, answer } = await askFor(turn, { title: `Question ${i}`, kind: "other" }, i);
    await finish(turn, call, answer);
    await turn.say(`Answer ${i}: ${answer}.\n`);
  }
}

/** Appends a line to `effects.log` for each approval: effects count even if forgotten. */
export async function effect(turn: DemoTurn, step: Step): Promise<void> {
  for (let i = 1; i <= step.number; i++) {
    const { call, answer } = await askFor(turn, { title: `Effect ${i}`, kind: "execute" }, i);
    if (answer !== "denied") {
      appendFileSync(join(turn.options.cwd, "effects.log"), `${i}\n`);
      if (turn.options.isUntold) turn.die();
    }
    await finish(turn, call, answer);
  }
}

async function askFor(
  turn: DemoTurn,
  what: Pick<ToolCall, "title" | "kind">,
  n: number,
): Promise<{ call: ToolCall; answer: PermissionAnswer }> {
  const input = turn.options.varies ? { n, turn: turn.options.transcript.prompts } : { n };
  const told = turn.options.isVague ? {} : { rawInput: input };
  const call = await turn.startTool({ ...what, status: "pending", ...told });
  return { call, answer: await turn.ask(call) };
}

async function finish(
  turn: DemoTurn,
  { toolCallId }: ToolCall,
  answer: PermissionAnswer,
): Promise<void> {
  await turn.finishTool({
    toolCallId,
    status: answer === "denied" ? "failed" : "completed",
    content: [textContent(answer)],
  });
}
