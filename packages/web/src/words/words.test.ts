import { exactInput } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { connectionWord } from "./connection.ts";
import { listed, roughly } from "./measures.ts";
import { lastLines, resultWords, toolLine, toolWords } from "./tool.ts";

describe("measures", () => {
  test("are human", () => {
    expect([roughly(999), roughly(2311), roughly(18_432)]).toEqual(["999", "2.3k", "18k"]);
    expect(listed(["a", "b", "c"])).toBe("a, b and c");
  });
});

describe("a tool call in one line", () => {
  test.each([
    ["Edit src/a.ts", { path: "src/a.ts" }, { verb: "Edit", target: "src/a.ts" }],
    ["npm test", { command: "npm test" }, { verb: "npm test", target: "" }],
    ["Run", { command: "ls\n-la" }, { verb: "Run", target: "ls ⏎ -la" }],
    ["think", {}, { verb: "Think", target: "" }],
    ["odd", { b: 1, a: "x" }, { verb: "odd", target: 'a: "x", b: 1' }],
    ["other", { n: 1 }, { verb: "Use a tool", target: "n: 1" }],
    ["execute", { command: "ls" }, { verb: "Run", target: "ls" }],
  ])("%s %o", (name, input, line) => {
    expect(toolLine(name, input)).toEqual(line);
  });

  test.each([
    ["Read /home/a/src/x.ts", { path: "/home/a/src/x.ts" }, "Read src/x.ts"],
    ["Read", { file_path: "/home/a/src/x.ts" }, "Read src/x.ts"],
    ["List", { path: "/home/a" }, "List ."],
    ["Read", { path: "/home/ab/x.ts" }, "Read /home/ab/x.ts"],
    ["Read", { path: "/mnt/home/a/x.ts" }, "Read /mnt/home/a/x.ts"],
    ["Run", { command: "cat /home/a/x.ts" }, "Run cat /home/a/x.ts"],
  ])("calls what lies in the workspace as from there: %s %o", (name, input, words) => {
    expect(toolWords(name, input, "/home/a")).toBe(words);
  });

  test("has the whole input in its exact form, however long", () => {
    const command = `rm ${"x".repeat(3000)}`;
    expect(exactInput({ command })).toContain(command);
    expect(toolWords("Run", { command }).length).toBeLessThan(300);
  });

  test("says what came back", () => {
    expect(resultWords("41 tests passed\n")).toBe("41 tests passed");
    expect(resultWords("a\nb\nc\n")).toBe("3 lines");
    expect(resultWords(" \n")).toBe("");
    expect(lastLines("1\n2\n3\n4\n")).toEqual(["2", "3", "4"]);
  });
});

describe("the connection", () => {
  test("says nothing while it is live", () => {
    expect(connectionWord({ state: "live", via: "socket" }, true)).toBeNull();
  });

  test("counts what is missing while it catches up", () => {
    const word = connectionWord({ state: "catching_up", behind: 1284, via: "socket" }, true)?.word;
    expect(word).toBe("catching up, 1,284 events");
  });

  test("is never red: losing a transport is no failure", () => {
    const away = { state: "away", reason: "x", retryInMs: 4000 } as const;
    expect(connectionWord(away, true)).toMatchObject({
      word: "Host offline, reconnecting…",
      tone: "quiet",
    });
    expect(connectionWord(away, false)).toMatchObject({
      word: "This page is offline",
      tone: "quiet",
    });
  });
});
