/** A session of the demo agent that is broken and brought back: what tests of that have in common. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalDecision, Event, EventOf, SessionId } from "@holdfast/protocol";
import { killHolder } from "../../holder/fate.ts";
import type { HostOptions } from "../../host.ts";
import { openPlace, type Place } from "./place.ts";

/** The agent's own sessions, by their files. */
export function memories(p: Place, id: SessionId): string[] {
  const dir = join(p.data, "agents", id);
  const names = readdirSync(dir).filter((name) => name.endsWith(".jsonl"));
  return names.map((name) => join(dir, name));
}

/** Every prompt of every session it had, as its own memory has them; in order within a session. */
export function heard(p: Place, id: SessionId): string[] {
  return memories(p, id)
    .flatMap((path) => readFileSync(path, "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as { type: string; prompt?: { text: string }[] })
    .filter(({ type }) => type === "user")
    .map(({ prompt }) => prompt?.map(({ text }) => text).join("") ?? "");
}

/** As a new machine would: what the agent kept of the session is gone. */
export function forget(p: Place, id: SessionId): void {
  for (const path of memories(p, id)) rmSync(path);
}

/** Whatever it was told to get wrong, it gets right from its next process on. */
export function mend(p: Place, id: SessionId): void {
  writeFileSync(join(p.data, "agents", id, "lie"), "none\n");
}

export async function say(p: Place, id: SessionId, words: string): Promise<void> {
  const { seq } = await p.sessions.state(id);
  await p.prompt(id, words);
  await p.kind(id, "run.completed", seq);
}

/** A session with answered messages, whose agent was put away. */
export async function putAway(words: readonly string[], options: Partial<HostOptions> = {}) {
  const p = await openPlace(options);
  const id = await p.create();
  for (const word of words) await say(p, id, word);
  await p.host?.runtimes.pause(id);
  return { p, id };
}

/** A session whose run was cut off by a kill -9 of its agent. */
export async function cutOff(words: string, options: Partial<HostOptions> = {}) {
  const p = await openPlace(options);
  const id = await p.create();
  const runId = await p.prompt(id, words);
  await p.kind(id, "run.interrupted");
  return { p, id, runId };
}

export const revive = (p: Place, id: SessionId) => p.host?.runtimes.revive(id, "revive").done;

export async function revivedAgain(p: Place, id: SessionId) {
  await p.host?.runtimes.pause(id);
  return revive(p, id);
}

/** Host, holder and agent are gone; then there is a host again. */
export async function loseAll(p: Place): Promise<void> {
  await p.close();
  for (const dir of p.holders()) await killHolder(dir);
  await p.open();
}

export function answer(
  p: Place,
  id: SessionId,
  { runId, approvalId }: EventOf<"approval.requested">,
  decision: ApprovalDecision,
  more: { scope?: "session" | "run"; pattern?: string; by?: string } = {},
) {
  const decided = { runId, approvalId, decision, by: "me", ...more };
  return p.sessions.execute(id, "decide", decided);
}

/** How often it did what `/effect` does. */
export function effects(p: Place, id: SessionId): number {
  try {
    return readFileSync(join(p.workspace(id), "effects.log"), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}

/** What the journal has of the agent's own words and acts. */
export async function output(p: Place, id: SessionId): Promise<Event[]> {
  const said = /^(text|thinking|part|tool)\.|^agent\.spoke$/;
  return (await p.events(id)).filter(({ kind }) => said.test(kind));
}
