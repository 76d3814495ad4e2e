import { expect, test } from "vitest";
import { RequestKeys } from "./request-keys.ts";

const line = (bytes = 10) => Buffer.alloc(bytes, "x");

test("a key is new, pending and answered, and keeps its answer", () => {
  const keys = new RequestKeys();
  expect(keys.state("a").is).toBe("new");
  keys.begin("a");
  expect([keys.state("a").is, keys.pending]).toEqual(["pending", ["a"]]);
  keys.answer("a", line());
  expect(keys.state("a")).toEqual({ is: "answered", line: line() });
  expect(keys.hasPending).toBe(false);
});

test("old answers are dropped by count and by size, but their keys are remembered", () => {
  const keys = new RequestKeys();
  for (let i = 0; i < 100; i++) keys.answer(`a${i}`, line());
  expect([keys.state("a0").is, keys.state("a35").is, keys.state("a36").is]).toEqual([
    ...["spent", "spent", "answered"],
  ]);
  keys.answer("large", line(8 * 1024 * 1024));
  expect([keys.state("a99").is, keys.state("large").is]).toEqual(["spent", "answered"]);
});

test("the answers of the last eight turns are kept, whatever follows them", () => {
  const keys = new RequestKeys();
  for (let i = 0; i < 10; i++) keys.answer(`prompt/${i}`, line());
  for (let i = 0; i < 200; i++) keys.answer(`a${i}`, line(1024 * 1024));
  const states = Array.from({ length: 10 }, (_, i) => keys.state(`prompt/${i}`).is);
  expect(states).toEqual(["spent", "spent", ...Array(8).fill("answered")]);
});

test("keys are remembered long after their answers, up to a limit", () => {
  const keys = new RequestKeys();
  for (let i = 0; i <= 10_000; i++) keys.spend(`a${i}`);
  expect([keys.state("a0").is, keys.state("a1").is]).toEqual(["new", "spent"]);
});
