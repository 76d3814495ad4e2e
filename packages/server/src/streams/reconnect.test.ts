import type { SessionId } from "@holdfast/protocol";
import { EventSource } from "eventsource";
import { expect, test } from "vitest";
import { foldDetail } from "../session/bases.ts";
import { type TestHost, testHost } from "../testing/test-host.ts";
import { type BreakingWire, breakingWire } from "./testing/breaking-wire.ts";
import { testStreams } from "./testing/served.ts";
import { eventually } from "./testing/turns.ts";

const READERS = 10;
const CUTS = 100;

/** Mulberry32, so that a seed repeats the same cuts. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An unmodified EventSource; each message must be the next event, with the text that was sent. */
class Watcher {
  last = 0;
  resets = 0;
  wrong: string | null = null;
  readonly #source: EventSource;

  constructor(url: string, titleOf: (seq: number) => string) {
    this.#source = new EventSource(url);
    this.#source.addEventListener("reset", ({ data }) => {
      const { seq } = JSON.parse(data) as { seq: number };
      if (seq <= this.last) this.wrong ??= `reset to ${seq} after ${this.last}`;
      this.last = seq;
      this.resets++;
    });
    this.#source.onmessage = ({ data, lastEventId }) => {
      const event = JSON.parse(data) as { seq: number; kind: string; title?: string };
      const isNext = event.seq === this.last + 1 && lastEventId === String(event.seq);
      const isWhole = event.kind !== "session.renamed" || event.title === titleOf(event.seq);
      if (!isNext || !isWhole) this.wrong ??= `${data} after ${this.last}`;
      this.last = event.seq;
    };
  }

  close(): void {
    this.#source.close();
  }
}

const titleOf = (seq: number) => `Nº ${seq}: ${"日本語 🙂 ".repeat(1 + (seq % 4))}`;

async function rename(host: TestHost, id: SessionId): Promise<void> {
  const { seq } = await host.sessions.state(id);
  await host.sessions.execute(id, "rename", { title: titleOf(seq + 1) });
}

test("a reader cut off at any byte, a thousand times over, by two hosts and a compaction, sees each event once and in order [P26] [F28] [R003-6]", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = seeded(seed);
  const first = await testHost();
  let served = await testStreams({ host: first });
  const id = await first.newSession();
  const wires: BreakingWire[] = [];
  const watchers: Watcher[] = [];
  for (let n = 0; n < READERS; n++) {
    const wire = await breakingWire({
      target: () => served.port,
      breakAfter: () => (wire.cuts < CUTS ? Math.floor(random() * 4000) : null),
    });
    wires.push(wire);
    const path = served.sse(id).replace(String(served.port), String(wire.port));
    watchers.push(new Watcher(path, titleOf));
  }
  const cuts = () => wires.reduce((sum, wire) => sum + wire.cuts, 0);
  const wrong = () => watchers.find((watcher) => watcher.wrong !== null)?.wrong ?? null;
  const write = async (until: () => boolean) => {
    const { seq } = await served.host.sessions.state(id);
    for (let n = seq; !until() && wrong() === null && n < seq + 20_000; n++) {
      await rename(served.host, id);
      await new Promise(setImmediate);
    }
  };

  await write(() => cuts() >= (READERS * CUTS) / 3);
  // The host crashes, and a new boot serves the same journal.
  served.server.close();
  served.server.closeAllConnections();
  const before = served;
  served = await testStreams({ host: await first.crash() });
  await write(() => cuts() >= (READERS * CUTS * 2) / 3);
  await foldDetail(served.host, id);
  await write(() => wires.every((wire) => wire.cuts >= CUTS));

  const { seq: head } = await served.host.sessions.state(id);
  await eventually(() => wrong() !== null || watchers.every(({ last }) => last === head));
  const inCharacters = wires.reduce((sum, wire) => sum + wire.cutsInCharacters, 0);
  const resets = watchers.reduce((sum, watcher) => sum + watcher.resets, 0);
  console.log(`seed ${seed}: ${cuts()} cuts, ${inCharacters} in characters, ${resets} resets`);
  expect(wrong(), `seed ${seed}`).toBeNull();
  expect(watchers.map(({ last }) => last)).toEqual(watchers.map(() => head));
  expect(cuts()).toBeGreaterThanOrEqual(READERS * CUTS);
  expect(inCharacters).toBeGreaterThan(READERS);

  for (const watcher of watchers) watcher.close();
  for (const wire of wires) wire.close();
  await before.close();
  await served.close();
}, 120_000);
