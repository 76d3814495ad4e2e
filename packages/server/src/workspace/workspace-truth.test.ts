import { expect, test } from "vitest";
import { parseTruth, truthCommand } from "./workspace-truth.ts";

const head = "a".repeat(40);

test("one round trip asks for all of it, by the command of the requirement", () => {
  expect(truthCommand).toBe("git status --porcelain && git rev-parse HEAD && git diff --stat");
});

test("the one round trip gives dirty files, HEAD and the diff's summary [R000-43]", () => {
  const output = ` M src/a.ts\n?? b c.txt\n${head}\n src/a.ts | 2 +-\n 1 file changed\n`;
  expect(parseTruth(output, 0)).toEqual({
    head,
    dirty: ["src/a.ts", "b c.txt"],
    diffStat: "src/a.ts | 2 +-\n 1 file changed",
  });
  expect(parseTruth(`${head}\n`, 0)).toEqual({ head, dirty: [], diffStat: "" });
});

test("a repository without a commit has no HEAD, and no repository no truth", () => {
  expect(parseTruth("?? a\nHEAD\n", 128)).toEqual({ head: null, dirty: ["a"], diffStat: "" });
  expect(parseTruth("", 128)).toBeNull();
});

test("names a hundred files and counts the rest", () => {
  const many = Array.from({ length: 150 }, (_, n) => `?? f${n}\n`).join("");
  const truth = parseTruth(`${many}${head}\n`, 0);
  expect(truth?.dirty).toHaveLength(101);
  expect(truth?.dirty.at(-1)).toBe("and 50 more");
});
