import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

const stays = new AbortController().signal;

/** Tasks that end on request. */
function acts(queue: FairQueue) {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const start = (n: number, tenant = "one", gone = stays) =>
    queue.run(tenant, gone, () => {
      begun.push(n);
      return new Promise<void>((resolve) => {
        ends[n] = resolve;
      });
    });
  return { begun, ends, start };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("two tasks run at a time, in order, and one too many is refused", async () => {
  const { begun, ends, start } = acts(new FairQueue(2, 2));
  const all = [start(0), start(1), start(2), start(3)];
  await expect(start(4)).rejects.toMatchObject({ code: "rate_limited", status: 429 });
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await settled();
  ends[3]?.();
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test("a failed task passes its turn on", async () => {
  const queue = new FairQueue(1, 1);
  const failing = queue.run("one", stays, () => Promise.reject(new Error("no")));
  const next = queue.run("one", stays, async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("a tenant with many requests neither causes refusals for another nor delays it [P37]", async () => {
  const { begun, ends, start } = acts(new FairQueue(2, 2));
  const all = [start(0), start(1), start(2), start(3), start(4, "other")];
  await expect(start(5)).rejects.toMatchObject({ code: "rate_limited" });
  for (const n of [0, 4, 1, 2, 3]) {
    ends[n]?.();
    await settled();
  }
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 4, 2, 3]);
});

test("a request that is gone before its turn leaves the queue", async () => {
  const { begun, ends, start } = acts(new FairQueue(1, 1));
  const gone = new AbortController();
  const first = start(0);
  const left = start(1, "one", gone.signal);
  gone.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  const last = start(2);
  ends[0]?.();
  await settled();
  expect(begun).toEqual([0, 2]);
  ends[2]?.();
  await Promise.all([first, last]);
  await expect(start(3, "one", gone.signal)).rejects.toThrow("gone");
});
