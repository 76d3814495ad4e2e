/** The host's journal, to be compared with what a page shows. */

import assert from "node:assert/strict";
import type { Event } from "@holdfast/protocol";
import { textOf, type World } from "../story/world.ts";

const outcomes = ["run.completed", "run.failed", "run.cancelled", "run.interrupted"];

/** Checks for gaps, duplicates, one event per message and one end per run. */
export async function soundJournal(world: World, session: string): Promise<Event[]> {
  const events = await world.events(session);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, i) => i + 1),
  );
  const sent = messagesOf(events);
  const ids = sent.flatMap(({ clientId }) => clientId ?? []);
  assert.equal(new Set(ids).size, ids.length, "one thing was sent, and taken twice");
  const ends = events.filter(({ kind }) => outcomes.includes(kind));
  const runs = ends.map((event) => (event as { runId?: string }).runId);
  assert.equal(new Set(runs).size, runs.length, "a run ended twice");
  return events;
}

interface Sent {
  readonly messageId: string;
  readonly content: string;
  readonly clientId?: string;
}

/** The messages of a session; one that was queued first counts once. */
export function messagesOf(events: readonly Event[]): Sent[] {
  const found = new Map<string, Sent>();
  for (const event of events) {
    if (event.kind !== "message.user" && event.kind !== "message.queued") continue;
    if (!found.has(event.messageId)) found.set(event.messageId, event as Sent);
  }
  return [...found.values()];
}

/** Number of answers; an answer that is carried to a repeated question does not count again. */
export function answersIn(events: readonly Event[]): number {
  return events.filter(
    (event) => event.kind === "approval.decided" && event.carriedFrom === undefined,
  ).length;
}

export function numbersIn(events: readonly Event[]): number[] {
  return [...textOf(events).matchAll(/<(\d+)>/g)].map(([, n]) => Number(n));
}

export const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
