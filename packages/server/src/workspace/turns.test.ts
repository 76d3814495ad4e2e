import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

/** Acts that end when they are told to. */
function acts(turns: Turns) {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const start = (n: number) =>
    turns.take(() => {
      begun.push(n);
      return new Promise<void>((resolve) => {
        ends[n] = resolve;
      });
    });
  return { begun, ends, start };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("two at a time, in the order they came, and one too many is sent away", async () => {
  const { begun, ends, start } = acts(new Turns(2, 2));
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

test("one that fails gives its turn on", async () => {
  const turns = new Turns(1, 1);
  const failing = turns.take(() => Promise.reject(new Error("no")));
  const next = turns.take(async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});
