import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";
import { SharedReads } from "./shared-reads.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Reads that end on request; each resolves to the number of reads begun before it. */
function looking(atOnce = 1) {
  const reads = new SharedReads(new FairQueue(atOnce, 8));
  const begun: { what: string; gone: AbortSignal; end: () => void }[] = [];
  const ask = (what: string, gone = new AbortController()) =>
    reads.run({ tenant: "one", what, gone: gone.signal }, (unwanted) => {
      const nth = begun.length;
      return new Promise<number>((resolve, reject) => {
        begun.push({ what, gone: unwanted, end: () => resolve(nth) });
        unwanted.addEventListener("abort", () => reject(unwanted.reason));
      });
    });
  return { begun, ask };
}

test("concurrent requests for the same thing share one read, and others do not", async () => {
  const { begun, ask } = looking(2);
  const [a, b, other] = [ask("a"), ask("a"), ask("b")];
  await settled();
  expect(begun.map(({ what }) => what)).toEqual(["a", "b"]);
  for (const { end } of begun) end();
  expect(await Promise.all([a, b, other])).toEqual([0, 0, 1]);
});

test("later requests share a second read, which begins when the first has ended: that may be older than they are", async () => {
  const { begun, ask } = looking(4);
  const early = ask("a");
  await settled();
  const late = ask("a");
  await settled();
  const later = ask("a");
  await settled();
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  expect(await early).toBe(0);
  await settled();
  begun[1]?.end();
  expect(await Promise.all([late, later])).toEqual([1, 1]);
});

test("a read is cancelled when its last waiting request is gone, and not before", async () => {
  const { begun, ask } = looking();
  const [one, two] = [new AbortController(), new AbortController()];
  const both = Promise.allSettled([ask("a", one), ask("a", two)]);
  await settled();
  one.abort();
  expect(begun[0]?.gone.aborted).toBe(false);
  two.abort();
  expect(begun[0]?.gone.aborted).toBe(true);
  const reason = expect.objectContaining({ code: "request_timeout" });
  expect(await both).toEqual([
    { status: "rejected", reason },
    { status: "rejected", reason },
  ]);
});

test("a read without a waiting request never begins, and later requests do not join it", async () => {
  const { begun, ask } = looking();
  const first = ask("first");
  const gone = new AbortController();
  const left = ask("a", gone);
  gone.abort();
  const next = ask("a");
  await expect(left).rejects.toMatchObject({ code: "request_timeout" });
  await settled();
  begun[0]?.end();
  await first;
  await settled();
  begun[1]?.end();
  expect(await next).toBe(1);
  await expect(ask("a", gone)).rejects.toMatchObject({ code: "request_timeout" });
  expect(begun.map(({ what }) => what)).toEqual(["first", "a"]);
});
