/** The implementation of each step word. */

import { setImmediate as breath } from "node:timers/promises";
import { RequestError } from "@agentclientprotocol/sdk";
import { textContent } from "../acp/text-content.ts";
import { askQuestions, effect } from "./asking.ts";
import type { Lie } from "./lies.ts";
import { leaveCounter, leaveWriter } from "./orphan.ts";
import { writeLie } from "./state.ts";
import { flushed, makeNoise } from "./stdout.ts";
import type { DemoTurn } from "./turn.ts";
import { helpText, type Step, type StepName } from "./words.ts";
import { work } from "./work.ts";

/** Chunks of a flood between two yields to the event loop, where a cancel can arrive. */
const BREATH_EVERY = 256;

type Act = (turn: DemoTurn, step: Step) => Promise<void>;

export const acts: Readonly<Record<StepName, Act>> = {
  work,
  stall,
  delegate,
  delegated,
  flood,
  ask: askQuestions,
  effect,
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

  async die(turn) {
    turn.die();
  },

  async noise(turn) {
    makeNoise();
    await turn.say("I wrote a line that is no protocol.\n");
  },

  async fork(turn) {
    const pid = await leaveCounter(turn.options.cwd);
    await turn.say(`Process ${pid}, which is not mine any more, counts in orphan.log.\n`);
  },

  async orphan(turn) {
    const pid = await leaveWriter(turn.options.cwd, turn.options.transcript.path);
    await turn.say(`Process ${pid} goes on without me`);
  },

  async ahead(turn, step) {
    turn.goOnUnheard(step.number);
  },

  async deaf(turn) {
    turn.options.hearing.goDeaf();
    await turn.say("From now on I hear no cancel and no signal.\n");
  },

  async forget(turn) {
    turn.options.transcript.append({ type: "forget" });
    await turn.say("I shall forget most of this.\n");
  },

  async lie(turn, step) {
    writeLie(turn.options.stateDirectory, step.choice as Lie);
    await turn.say(`My next process will tell this lie: ${step.choice}.\n`);
  },
};

async function stall(turn: DemoTurn): Promise<void> {
  await turn.startTool({
    title: "Wait for something that never comes",
    kind: "other",
    status: "in_progress",
    rawInput: {},
  });
  await forEver(turn);
}

function forEver({ signal }: DemoTurn): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
}

const handingOn = {
  title: "Let another do it",
  kind: "other",
  status: "in_progress",
  rawInput: { description: "Mend the tests", prompt: "Mend the tests of notes.mjs" },
  _meta: { claudeCode: { toolName: "Task" } },
} as const;

async function delegate(turn: DemoTurn): Promise<void> {
  const { toolCallId } = await turn.startTool(handingOn);
  const state = "[CODER_STATE] plan: mend two tests; open: the second; files: notes.test.mjs";
  await turn.updateTool({ toolCallId, status: "in_progress", content: [textContent(state)] });
  await forEver(turn);
}

async function delegated(turn: DemoTurn): Promise<void> {
  const { toolCallId } = await turn.startTool(handingOn);
  const content = [textContent("Both tests are mended.")];
  await turn.finishTool({ toolCallId, status: "completed", content });
}

async function flood(turn: DemoTurn, step: Step): Promise<void> {
  for (let i = 1; i <= step.number; i++) {
    await turn.chunkNow(`${i} `);
    if (i % BREATH_EVERY === 0) await breath();
  }
}
