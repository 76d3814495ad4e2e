/**
 * Tests that an agent has the behaviour that Holdfast relies on: one turn with a tool and a
 * question, `kill -9`, a new process that loads the session, and one more turn, whose request to
 * the model shows the context.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { InitializeResponse } from "@agentclientprotocol/sdk";
import { Agent } from "./agent.ts";
import type { KnownAgent } from "./known.ts";
import { type Entry, textOf } from "./model/conversation.ts";
import type { Model } from "./model/server.ts";
import { endWorld, furnish, openWorld, type World } from "./worlds.ts";

export interface Findings {
  readonly startMs: number;
  readonly newMs: number;
  readonly restartMs: number;
  readonly loadMs: number;
  /** The session capabilities that the agent reports. */
  readonly advertised: readonly string[];
  readonly permissionAsked: boolean;
  readonly fileWritten: boolean;
  readonly replayed: readonly string[];
  /** Parts of the first turn that the second turn's request lacked; empty when it had all. */
  readonly missing: readonly string[];
}

export async function smoke(known: KnownAgent, model: Model): Promise<Findings> {
  const { name } = known.pin;
  const world = openWorld(name, model.urlFor(name));
  const launch = known.launch(world);
  furnish(world, launch);
  const agents: Agent[] = [];
  const start = () => {
    const agent = new Agent(world, launch);
    agents.push(agent);
    return agent;
  };
  try {
    return await twoLives(known, model, world, start);
  } finally {
    for (const agent of agents) await agent.kill();
    endWorld(world);
  }
}

async function twoLives(
  { pin, mode, restMs = 0 }: KnownAgent,
  model: Model,
  world: World,
  start: () => Agent,
): Promise<Findings> {
  const file = join(world.workspace, "made.txt");
  const first = start();
  const [startMs, hello] = await timed(() => first.initialize());
  const [newMs, session] = await timed(() => first.newSession());
  if (mode !== undefined) await first.setMode(session, mode);
  await first.prompt(session, `Apples. [[tool write ${file}]]`);
  await first.kill();
  await pause(restMs);

  const second = start();
  const [restartMs] = await timed(() => second.initialize());
  const [loadMs] = await timed(() => second.load(session));
  const replayed = second.updates.map(({ sessionUpdate }) => sessionUpdate);
  if (mode !== undefined) await second.setMode(session, mode);
  await second.prompt(session, "Pears. [[text Pears it is.]]");
  await second.kill();

  const request = model.record.last({ place: pin.name, said: "Pears. [[" });
  return {
    startMs,
    newMs,
    restartMs,
    loadMs,
    replayed,
    advertised: abilities(hello),
    permissionAsked: first.asked.length > 0,
    fileWritten: existsSync(file),
    missing: missingFrom(request?.conversation ?? [], file),
  };
}

function missingFrom(conversation: readonly Entry[], file: string): string[] {
  const has = (role: Entry["role"], text: string) =>
    conversation.some((entry) => entry.role === role && textOf(entry).includes(text));
  const parts = {
    prompt: has("user", "Apples."),
    "tool call": conversation.some((entry) => "toolCall" in entry),
    "tool result": conversation.some((entry) => "toolResult" in entry),
    answer: has("assistant", `Done: write ${file}.`),
  };
  return Object.entries(parts).flatMap(([part, isThere]) => (isThere ? [] : [part]));
}

function abilities({ agentCapabilities }: InitializeResponse): string[] {
  const load = agentCapabilities?.loadSession ? ["load"] : [];
  return [...load, ...Object.keys(agentCapabilities?.sessionCapabilities ?? {})];
}

async function timed<T>(act: () => Promise<T>): Promise<[number, T]> {
  const start = performance.now();
  const result = await act();
  return [Math.round(performance.now() - start), result];
}
