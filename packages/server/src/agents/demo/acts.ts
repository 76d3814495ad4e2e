/** What each step word does. */

import { setImmediate as breath } from "node:timers/promises";
import { RequestError } from "@agentclientprotocol/sdk";
import { leaveOrphan } from "./orphan.ts";
import { type Lie, writeLie } from "./state.ts";
import { flushed, makeNoise } from "./stdout.ts";
import { type Turn, textContent } from "./turn.ts";
import { helpText, type Step, type StepName } from "./words.ts";
import { work } from "./work.ts";

/** So often a flood lets the process hear a cancel. */
const BREATH_EVERY = 256;

type Act = (turn: Turn, step: Step) => Promise<void>;

export const acts: Readonly<Record<StepName, Act>> = {
  work,
  stall,
  flood,
  ask,
  say: (turn, step) => turn.say(step.text, 1),
  echo: (turn, step) => turn.say(step.text, 1),

  async help(turn) {
    for (const line of helpText().split(/(?<=\n)/)) await turn.chunk(line);
  },

  async count(turn, step) {
    for (let i = 1; i <= step.number; i++) await turn.chunk(i === 1 ? "<1>" : ` <${i}>`);
  },

  bigline: (turn, step) => turn.chunk("x".repeat(step.number)),

  async fail(turn) {
    await turn.say("I begin, and then I must not go on.");
    throw new RequestError(-32603, "The request is against the policy.", {
      code: "policy",
      status: 400,
    });
  },

  async exit(turn, step) {
    await turn.say("I leave.\n");
    await flushed();
    process.exit(step.number);
  },

  async noise(turn) {
    makeNoise();
    await turn.say("I wrote a line that is no protocol.\n");
  },

  async fork(turn) {
    const pid = await leaveOrphan(turn.cwd);
    await turn.say(`Process ${pid}, which is not mine any more, counts in orphan.log.\n`);
  },

  async deaf(turn) {
    turn.hearing.goDeaf();
    await turn.say("From now on I hear no cancel and no signal.\n");
  },

  async forget(turn) {
    turn.transcript.append({ type: "forget" });
    await turn.say("I shall forget most of this.\n");
  },

  async lie(turn, step) {
    writeLie(turn.stateDirectory, step.choice as Lie);
    await turn.say(`My next process will tell this lie: ${step.choice}.\n`);
  },
};

async function ask(turn: Turn, step: Step): Promise<void> {
  for (let i = 1; i <= step.number; i++) {
    const call = await turn.startTool({
      title: `Question ${i}`,
      kind: "other",
      status: "pending",
      rawInput: { question: i },
    });
    const answer = await turn.ask(call);
    await turn.finishTool({
      toolCallId: call.toolCallId,
      status: answer === "denied" ? "failed" : "completed",
      content: [textContent(answer)],
    });
    await turn.say(`Answer ${i}: ${answer}.\n`);
  }
}

async function stall(turn: Turn): Promise<void> {
  await turn.startTool({
    title: "Wait for something that never comes",
    kind: "other",
    status: "in_progress",
    rawInput: {},
  });
  await new Promise((_, reject) => {
    turn.signal.addEventListener("abort", () => reject(turn.signal.reason), { once: true });
    if (turn.signal.aborted) reject(turn.signal.reason);
  });
}

async function flood(turn: Turn, step: Step): Promise<void> {
  for (let i = 1; i <= step.number; i++) {
    await turn.chunkNow(`${i} `);
    if (i % BREATH_EVERY === 0) await breath();
  }
}
