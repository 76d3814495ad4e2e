/**
 * [P29]: agents that flood the host. Either the journal takes all output at its own pace, or the
 * agent is cut with an event that gives the reason. The host serves others meanwhile, in bounded
 * memory.
 */

import { get } from "node:http";
import { outcomeOf } from "@holdfast/protocol";
import type { Context, Suite } from "../../long/suite.ts";
import type { World } from "../../story/world.ts";
import { Health, peakMemory } from "../health.ts";
import { survivorsIn } from "../survivors.ts";
import { inWorld, type RoundOptions, withMoreAgents } from "../worlds.ts";

const MB = 1024 * 1024;
const GB = 1024 * MB;
/** Milliseconds, less the time for which the machine had no processor to give. */
const HEALTH = 250;
const HOST_BYTES = 512 * MB;
const HOLDER_BYTES = 256 * MB;
/** Timeout, ten times what a gigabyte takes here: a slow disk is not a failure. */
const PATIENCE = 5 * 60_000;

export interface Flood {
  readonly what: string;
  readonly prompt: string;
  readonly end: keyof typeof ends;
  /** Number of characters that must arrive. */
  readonly characters: number;
}

/** Each end with its title, its outcome, and the reason that must be recorded. */
const ends = {
  whole: { words: "taken whole", outcome: "run.completed", why: null },
  stopped: { words: "stopped with a reason", outcome: "run.failed", why: "limit_reached" },
  cut: { words: "cut with an event", outcome: "run.interrupted", why: "line_too_long" },
} as const;

/** In a flood of bytes nearly all is text: each line has 1 KB of it. */
function floodsOf(short: boolean): Flood[] {
  const [bytes, events] = short ? [64 * MB, 100_000] : [GB, 1_000_000];
  const [updates, ids] = short ? [80, 4] : [400, 20];
  return [
    {
      what: `${bytes / MB} MB of output in lines of a kilobyte`,
      prompt: `bytes ${bytes}`,
      end: "stopped",
      characters: 30 * MB,
    },
    {
      what: `${events} events as fast as stdout takes them`,
      prompt: `events ${events}`,
      end: short ? "whole" : "stopped",
      characters: 100_000,
    },
    {
      what: `${updates} updates of 1 MB that mean nothing`,
      prompt: `updates ${updates}`,
      end: "whole",
      characters: 0,
    },
    {
      what: `${ids} requests with ids of 30 MB`,
      prompt: `ids ${ids}`,
      end: "whole",
      characters: 0,
    },
    { what: "one line of 100 MB", prompt: `line ${100 * MB}`, end: "cut", characters: 0 },
    { what: "output that never ends a line", prompt: "endless", end: "cut", characters: 0 },
  ];
}

export const floods: Suite = {
  name: "floods",
  async run(context) {
    for (const flood of floodsOf(context.short)) {
      const title =
        `${flood.what}: ${ends[flood.end].words}, /health answers within 250 ms (p99), the host stays below 512 MB,` +
        " other sessions go on [P29]";
      await context.test(title, () => floodRound(context, flood));
    }
  },
};

export function floodRound(
  context: Pick<Context, "say">,
  flood: Flood,
  options: RoundOptions = {},
): Promise<string[]> {
  return inWorld({ ...withMoreAgents, ...options }, async (world) => {
    // Started before the measurement.
    const other = await world.create("/say hello");
    await world.untilKind(other.id, "run.completed");
    const { id } = await world.create(undefined, { agent: "flooding" });
    const reader = readAlong(world, id);
    const health = new Health(world);
    const holders = new Map<number, number>();
    const looking = setInterval(() => noteHolders(world, holders), 100);
    const from = performance.now();
    try {
      await world.send(id, flood.prompt);
      const problems = await goesOnBeside(world, other.id);
      if (!(await isOver(world, id))) return [...problems, "it did not end"];
      const seconds = (performance.now() - from) / 1000;
      const { taken, own } = await health.end();
      const host = peakMemory(world.hostPid);
      const holder = Math.max(...holders.values());
      const used = `host ${Math.round(host / MB)} MB, holder ${Math.round(holder / MB)} MB`;
      const said = await saidIn(world, id);
      const how = `${said.outcomes.join()} after ${seconds.toFixed(1)} s`;
      context.say(`${how}; /health ${taken}, by the host ${own}; ${used}`);
      if (own.percentile(99) > HEALTH) problems.push(`the host kept /health waiting: ${own}`);
      if (host > HOST_BYTES || holder > HOLDER_BYTES) problems.push(`memory: ${used}`);
      if (!Number.isFinite(holder)) problems.push("void: no holder was seen");
      problems.push(...judge(flood, said));
      return problems;
    } finally {
      clearInterval(looking);
      reader.destroy();
      await health.end().catch(() => undefined);
    }
  });
}

/** A follower that reads everything. */
function readAlong(world: World, id: string) {
  const headers = { authorization: `Bearer ${world.token}` };
  return get(`${world.url}/api/sessions/${id}/stream`, { headers }, (answer) => {
    answer.on("error", () => undefined).resume();
  }).on("error", () => undefined);
}

function noteHolders({ data }: World, peaks: Map<number, number>): void {
  for (const { pid, argv } of survivorsIn(data)) {
    if (argv.includes("/holder/main.ts")) {
      peaks.set(pid, Math.max(peaks.get(pid) ?? 0, peakMemory(pid)));
    }
  }
}

async function goesOnBeside(world: World, other: string): Promise<string[]> {
  const before = (await world.session(other)).lastSeq;
  await world.send(other, "/say still here");
  const over = await world.until(other, ({ kind }) => outcomeOf(kind) !== undefined, before);
  return over.kind === "run.completed" ? [] : [`another session's run is ${over.kind}`];
}

/** Polls the session, because following a flood would cost more than the flood. */
async function isOver(world: World, id: string): Promise<boolean> {
  const end = performance.now() + PATIENCE;
  while (performance.now() < end) {
    if ((await world.session(id)).status !== "running") return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

function judge({ end, characters }: Flood, said: Said): string[] {
  const problems = said.gaps > 0 ? [`${said.gaps} gaps in its seqs`] : [];
  const { outcome, why } = ends[end];
  if (said.outcomes.join() !== outcome) problems.push(`its run is ${said.outcomes.join() || "-"}`);
  if (why !== null && !said.reasons.some((reason) => reason.includes(why))) {
    problems.push(`nothing says why it ended: ${said.reasons.join() || "-"}`);
  }
  if (said.characters < characters) {
    problems.push(`${said.characters} of ${characters} characters arrived`);
  }
  return problems;
}

/** A session's content in the journal. */
interface Said {
  characters: number;
  gaps: number;
  readonly reasons: string[];
  readonly outcomes: string[];
}

/** Reads page by page, because the whole may be a gigabyte. */
async function saidIn(world: World, id: string): Promise<Said> {
  const said: Said = { characters: 0, gaps: 0, reasons: [], outcomes: [] };
  for (let after = 0; ; ) {
    const query = { after, limit: 1000 };
    const page = await world.client.call("listEvents", { params: { sessionId: id }, query });
    for (const event of page.events) {
      if (event.seq !== after + 1) said.gaps++;
      after = event.seq;
      if (event.kind === "text.appended" || event.kind === "thinking.appended") {
        said.characters += event.text.length;
      }
      if (event.kind === "agent.exited") said.reasons.push(event.reason);
      if (event.kind === "run.failed") said.reasons.push(event.error.code);
      if (outcomeOf(event.kind) !== undefined) said.outcomes.push(event.kind);
    }
    if (page.events.length === 0 || after >= page.lastSeq) return said;
  }
}
