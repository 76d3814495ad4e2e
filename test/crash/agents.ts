/** The scripted agent of the driven hosts; the first word of the prompt selects its behaviour. */

import type { Agent, Prompt } from "../../packages/server/src/agents/agent.ts";
import {
  done,
  failed,
  type Step,
  scriptedAgent,
  text,
  thinking,
  tool,
} from "../../packages/server/src/testing/scripted-agent.ts";

const HOUR = 3_600_000;

/** Larger than an event may be, so it becomes a blob. */
export const BIG = 96 * 1024;

const scripts: Readonly<Record<string, (prompt: Prompt, argument: string) => readonly Step[]>> = {
  talk: (_prompt, count) => [
    thinking("hm"),
    ...Array.from({ length: Number(count) || 3 }, (_, i) => text(`word ${i} `)),
    { type: "usage", inputTokens: 1, outputTokens: 2 },
    done(),
  ],
  tools: () => [
    text("looking"),
    ...tool("t1", "bash", { cmd: "ls" }, "a b c"),
    ...tool("t2", "bash", { cmd: "cat" }, "x".repeat(600)),
    done(),
  ],
  ask: () => [
    { type: "tool_started", toolCallId: "a1", name: "edit", input: { file: "f" }, gated: false },
    {
      type: "ask",
      toolCallId: "a1",
      toolName: "edit",
      input: { file: "f" },
      allowed: [
        { type: "tool_finished", toolCallId: "a1", status: "completed", output: "edited" },
        done(),
      ],
      denied: [
        { type: "tool_finished", toolCallId: "a1", status: "denied", output: "" },
        done("refused"),
      ],
    },
  ],
  await: (_prompt, ms) => [
    text("waiting"),
    {
      type: "await",
      kind: "external",
      deadlineAt: new Date(Date.now() + (Number(ms) || HOUR)).toISOString(),
    },
    text("resumed"),
    done(),
  ],
  big: ({ runId }) => [...tool("b1", "bash", { cmd: "big" }, `${runId} `.repeat(BIG / 38)), done()],
  stall: () => [
    text("begin"),
    { type: "tool_started", toolCallId: "s1", name: "bash", input: { cmd: "sleep" }, gated: false },
    { type: "stall" },
  ],
  flaky: ({ attempt }) =>
    attempt === 1 ? [failed("overloaded", "try again", 529)] : [text("second"), done()],
  fail: () => [text("partly"), failed("policy", "no", 400)],
};

/** Calls `said` with each number that the dripping agent says. */
export function crashAgent(said: (n: number) => void = () => undefined): Agent {
  return scriptedAgent("demo", (prompt) => {
    const [word = "talk", argument = ""] = prompt.content.split(" ");
    if (word === "drip") return drip(said);
    return (scripts[word] ?? scripts.talk)?.(prompt, argument) ?? [];
  });
}

async function* drip(said: (n: number) => void): AsyncGenerator<Step> {
  for (let n = 0; ; n++) {
    said(n);
    yield text(`<${n}>`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
