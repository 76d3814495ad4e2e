/**
 * Plays one cell with real processes: a host, its holder and the agent; the kill; and the person's
 * reaction.
 */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Event, Status } from "@holdfast/protocol";
import { endWorld } from "../../rounds/worlds.ts";
import type { World } from "../../story/world.ts";
import { saidBy } from "../model/conversation.ts";
import type { Exchange, ModelRecord } from "../model/record.ts";
import type { Model } from "../model/server.ts";
import { type Cell, isInterrupted, nameOf, type Phase } from "./cells.ts";
import { agentName, worldWith } from "./config.ts";
import type { Seen } from "./judge.ts";
import { ofKind } from "./kinds.ts";
import { Person } from "./person.ts";
import { leftIn, stillThere, strike } from "./strike.ts";
import {
  continuing,
  effects,
  fileOf,
  first,
  last,
  lastPrompt,
  midStream,
  underWay,
} from "./words.ts";

/** The worlds in use, each with the start of its host. */
const worlds = new Map<World, Promise<void>>();
let isOver = false;

export async function play(cell: Cell, model: Model): Promise<Seen> {
  const place = nameOf(cell);
  if (isOver) throw new Error("it was stopped");
  const world = worldWith(cell.known, model.urlFor(place));
  const early = cell.loss === "minute" ? toYoungMinute(Date.now()) : 0;
  const started = pause(early).then(() => world.start());
  worlds.set(world, started);
  try {
    await started;
    return await live(cell, world, model.record);
  } catch (error) {
    const asked = model.record.last({ place });
    const words = asked === null ? "nothing" : saidBy("user", asked.conversation).at(-1);
    const { message } = error as Error;
    throw new Error(`${message}\n    the model was last told: ${words?.slice(0, 300)}`);
  } finally {
    await endWorld(world);
    worlds.delete(world);
  }
}

/** Stops: no further cell starts, and everything of the running ones is removed. */
export async function endPlays(): Promise<void> {
  isOver = true;
  for (const [world, started] of worlds) {
    await started.catch(() => undefined);
    await endWorld(world);
  }
}

async function live(cell: Cell, world: World, record: ModelRecord): Promise<Seen> {
  const { phase, victim } = cell;
  const { id } = await world.create(undefined, { agent: agentName });
  const person = new Person(world, id);
  await person.turn(first.words);
  const { seq: struck } = await momentOf(phase, person);
  const question = phase === "permission" ? await person.question() : null;
  const heard = record.exchanges.length;
  const before = world.pids();

  const family = await strike(world, victim);
  if (world.hostPid === 0) await world.start();
  else await person.until("the end of its holder", struck, ofKind("holder.exited"));
  if (cell.loss === "files") rmSync(homeOf(world, id), { recursive: true });
  const resumed = person
    .until("its resume", struck, ofKind("session.resumed"))
    .then(() => (victim === "host" ? [] : stillThere(world, family)));
  // The first failure is reported; a later rejection of this promise is ignored.
  resumed.catch(() => undefined);
  const again = question === null ? null : await person.question();
  const status = await goOn(cell, person, struck, again);
  await person.turn(last);
  const beside = await resumed;
  const after = world.pids();
  const events = await world.events(id);
  const lines = linesIn(join(world.data, "workspaces", id), effects[phase]);
  await world.client.call("endSession", { params: { sessionId: id } });
  return {
    cell,
    events,
    struck,
    status,
    beside,
    lines,
    proof: proofOf(cell, record.exchanges.slice(heard)),
    isSameAgent: before.agent === after.agent && before.holder === after.holder,
    isSameQuestion: question?.approvalId === again?.approvalId,
    left: await leftIn(world),
  };
}

/** Resolves at the moment for the kill. */
async function momentOf(phase: Phase, person: Person): Promise<{ readonly seq: number }> {
  const seq = await person.now();
  const words = underWay[phase];
  if (words === null) return { seq };
  await person.begin(words);
  const what = `the moment ${phase}`;
  // The question of this phase is left open.
  if (phase === "permission") return person.until(what, seq, moments[phase]);
  return person.agreeing(what, seq, moments[phase]);
}

const moments: Readonly<Record<Phase, (event: Event) => boolean>> = {
  turn: () => true,
  stream: (event) => event.kind === "text.appended" && event.text.includes(midStream),
  tool: (event) => event.kind === "tool.finished" && event.status === "completed",
  // The call was allowed, and runs until it is killed.
  open: ofKind("approval.delivered"),
  // Killed earlier, the question would be asked again: an answer is carried only with the mark.
  permission: ofKind("approval.marked"),
};

type Question = Awaited<ReturnType<Person["question"]>>;

/** The person's reaction to the interrupted turn; returns the status that the person saw. */
async function goOn(
  cell: Cell,
  person: Person,
  struck: number,
  asked: Question | null,
): Promise<Status | null> {
  if (isInterrupted(cell)) {
    const { seq } = await person.until("the interruption", struck, ofKind("run.interrupted"));
    const { status } = await person.world.session(person.session);
    if (cell.next === "message") return status;
    await person.continue();
    await person.completed(seq);
    return status;
  }
  if (asked !== null) await person.allow(asked.runId, asked.approvalId);
  if (cell.phase !== "turn") await person.completed(struck);
  return null;
}

/** The first request of the revived agent for its own conversation. */
function proofOf(cell: Cell, heard: readonly Exchange[]): Exchange["conversation"] | null {
  const place = nameOf(cell);
  const goesOn = cell.phase !== "turn" && cell.victim !== "host" && cell.next !== "message";
  const words = goesOn ? continuing : lastPrompt;
  const found = heard.find(
    ({ place: at, isSide, conversation }) =>
      at === place && !isSide && saidBy("user", conversation).some((said) => said.includes(words)),
  );
  return found?.conversation ?? null;
}

const homeOf = (world: World, session: string) => join(world.data, "agents", session, "home");

function linesIn(workspace: string, words: readonly string[]): Record<string, number> {
  return Object.fromEntries(words.map((word) => [word, countLines(join(workspace, fileOf(word)))]));
}

function countLines(file: string): number {
  try {
    return readFileSync(file, "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}

const MINUTE = 60_000;
/** Age of a minute up to which such a cell can finish within that minute. */
const YOUNG = 20_000;

/** Time until a minute begins that can hold the whole cell. */
function toYoungMinute(now: number): number {
  const age = now % MINUTE;
  return age < YOUNG ? 0 : MINUTE - age;
}
