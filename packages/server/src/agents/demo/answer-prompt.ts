/** Answers one prompt: does the requested steps and records the result. */

import { type ContentBlock, type PromptResponse, RequestError } from "@agentclientprotocol/sdk";
import { acts } from "./acts.ts";
import type { DemoTurn } from "./turn.ts";
import type { Request } from "./words.ts";

export async function answerPrompt(
  turn: DemoTurn,
  prompt: ContentBlock[],
  { steps, manner }: Request,
): Promise<PromptResponse> {
  turn.options.transcript.append({ type: "user", prompt });
  try {
    if (manner.transient !== undefined) await failTransiently(turn, manner.transient);
    for (const step of steps) await acts[step.word](turn, step);
    turn.end();
  } catch (error) {
    if (!turn.signal.aborted) {
      turn.endFailed(codeOf(error));
      throw error;
    }
    await turn.endCancelled();
    return { stopReason: "cancelled" };
  }
  if (manner.late !== undefined) saySomethingLater(turn, manner.late);
  return { stopReason: "end_turn" };
}

/** Fails the first `tries` times, counted in the transcript: another process may retry. */
async function failTransiently(turn: DemoTurn, tries: number): Promise<void> {
  if (turn.options.transcript.failuresInARow("overloaded") >= tries) return;
  await turn.say("I begin, but there is too much going on.");
  throw new RequestError(-32603, "Overloaded.", { code: "overloaded", status: 529 });
}

function saySomethingLater(turn: DemoTurn, ms: number): void {
  setTimeout(() => {
    turn.sayLate("One more thing, after the turn.\n").catch(console.error);
  }, ms);
}

function codeOf(error: unknown): string {
  const data = error instanceof RequestError ? error.data : undefined;
  return typeof data === "object" && data !== null && "code" in data ? String(data.code) : "error";
}
