import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, afterEach, expect, test } from "vitest";
import { connectHolder } from "./host-side/link.ts";
import { livenessOf } from "./host-side/liveness.ts";
import { readSpool } from "./host-side/read-spool.ts";
import type { Frame } from "./spool/frames.ts";
import { agentSpec, endHolders, removeHolders, startHolder } from "./testing/holders.ts";

afterEach(endHolders);
afterAll(removeHolders);

/** The agent's own output in these frames, as JSON texts. */
function saidIn(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) =>
    frame.k === "line" || frame.k === "response" ? [JSON.stringify(frame.line)] : [],
  );
}

test("a holder killed at any moment leaves an exact prefix of its agent's output", async () => {
  const seed = Number(process.hrtime.bigint() % 2_147_483_647n);
  console.log(`seed ${seed}`);
  const moments = fc.sample(fc.record({ ms: fc.nat(80), acks: fc.boolean() }), {
    seed,
    numRuns: 12,
  });
  let kept = 0;
  for (const { ms, acks } of moments) {
    const holder = await startHolder({ limits: { segmentBytes: 128 * 1024 } });
    const host = await holder.connect({ acks });
    const tee = holder.file("tee");
    await host.launched(agentSpec(`--tee=${tee}`));
    await host.asks("up", "echo");
    host.link.request("flood", "flood", { lines: 1_000_000, bytes: 100, perWrite: 20 });
    await new Promise((resolve) => setTimeout(resolve, ms));
    holder.crash();
    await host.over();
    expect(await livenessOf(holder.dir, 1_000)).toBe("dead");

    // The host's frames and the rest in the spool together form one stream.
    const rest = [...readSpool(holder.dir, host.last)].flat();
    const frames = [...host.frames, ...rest];
    expect(frames.every(({ n }, i) => n === i + 1)).toBe(true);
    const written = readFileSync(tee, "utf8").split("\n");
    const said = saidIn(frames);
    expect(said).toEqual(written.slice(0, said.length));
    kept += said.length;
    await endHolders();
  }
  expect(kept).toBeGreaterThan(1_000);
});

test("hosts that come and go at any frame, each sending all of its intents, make no difference to the agent", async () => {
  const holder = await startHolder();
  const [heard, tee] = [holder.file("heard"), holder.file("tee")];
  const spec = agentSpec(`--tee=${tee}`, `--heard=${heard}`);
  const questions = Array.from({ length: 30 }, (_, i) => i);
  const journal: Frame[] = [];

  /** One host process: continues at the journal's last frame, and crashes at frame `last`. */
  const live = async (epoch: number, last: number) => {
    const acked = journal.length;
    const link = await connectHolder({ dir: holder.dir, epoch, acked, timeoutMs: 5_000 });
    const answer = (frame: Frame) => {
      if (frame.k !== "line" || frame.line.method !== "client/ask") return;
      link.answer(`answer/${frame.n}`, frame.n, { result: frame.line.params ?? null });
    };
    link.launch("launch/1", spec);
    for (const i of questions) link.request(`ask/${i}`, "ask", { id: i % 3, i });
    for (const frame of journal) answer(frame);
    for await (const frames of link.frames) {
      for (const frame of frames.slice(0, last - journal.length)) {
        journal.push(frame);
        answer(frame);
      }
      if (journal.length === last) break;
    }
  };
  // One launch, and per question four frames: sent, asked, answered, and the agent's confirmation.
  const all = 1 + 4 * questions.length;
  for (let epoch = 1; journal.length < all; epoch++) {
    await live(epoch, Math.min(journal.length + 1 + (epoch % 7), all));
  }

  expect(journal.map(({ n }) => n)).toEqual(journal.map((_, i) => i + 1));
  expect(saidIn(journal)).toEqual(readFileSync(tee, "utf8").trim().split("\n"));
  const lines = readFileSync(heard, "utf8").trim().split("\n");
  const told = lines.map((line) => JSON.parse(line) as { method?: string; result?: { i: number } });
  expect(told.filter(({ method }) => method === "ask").length).toBe(questions.length);
  const answers = told.flatMap(({ result }) => (result === undefined ? [] : [result.i]));
  expect(answers.toSorted((a, b) => a - b)).toEqual(questions);
});
