/** Helpers for tests that break and resume a session of the demo agent. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalDecision, Event, EventOf, SessionId } from "@holdfast/protocol";
import { killHolder } from "../../holder/host-side/liveness.ts";
import type { HostOptions } from "../../host.ts";
import { openPlace, type Place, sharedPlace } from "./place.ts";

/** The files of the agent's own sessions. */
export function memories(p: Place, id: SessionId): string[] {
  const dir = join(p.data, "agents", id);
  const names = readdirSync(dir).filter((name) => name.endsWith(".jsonl"));
  return names.map((name) => join(dir, name));
}

/** Every prompt in the agent's own sessions; in order within a session. */
export function heard(p: Place, id: SessionId): string[] {
  return memories(p, id)
    .flatMap((path) => readFileSync(path, "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as { type: string; prompt?: { text: string }[] })
    .filter(({ type }) => type === "user")
    .map(({ prompt }) => prompt?.map(({ text }) => text).join("") ?? "");
}

/** Deletes the agent's own sessions, as on a new machine. */
export function forget(p: Place, id: SessionId): void {
  for (const path of memories(p, id)) rmSync(path);
}

/** Makes the agent's next process behave correctly again. */
export function mend(p: Place, id: SessionId): void {
  writeFileSync(join(p.data, "agents", id, "lie"), "none\n");
}

export async function say(p: Place, id: SessionId, words: string): Promise<void> {
  const { seq } = await p.sessions.state(id);
  await p.prompt(id, words);
  await p.kind(id, "run.completed", seq);
}

/** A paused session with answered messages. */
export async function putAway(words: readonly string[], options?: Partial<HostOptions>) {
  const p = await (options === undefined ? sharedPlace() : openPlace(options));
  const id = await p.create();
  for (const word of words) await say(p, id, word);
  await p.host?.runtimes.pause(id);
  return { p, id };
}

/** A session whose run was cut off by a kill -9 of its agent. */
export async function cutOff(words: string, options?: Partial<HostOptions>) {
  const p = await (options === undefined ? sharedPlace() : openPlace(options));
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

/** Kills host, holder and agent, does `meanwhile`, and opens a new host. */
export async function loseAll(p: Place, meanwhile = () => {}): Promise<void> {
  await p.close();
  for (const dir of p.holders()) await killHolder(dir);
  meanwhile();
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

/** Number of effects that `/effect` commands had. */
export function effects(p: Place, id: SessionId): number {
  try {
    return readFileSync(join(p.workspace(id), "effects.log"), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}

/** The events of the agent's output. */
export async function output(p: Place, id: SessionId): Promise<Event[]> {
  const said = /^(text|thinking|part|tool)\.|^agent\.spoke$/;
  return (await p.events(id)).filter(({ kind }) => said.test(kind));
}
