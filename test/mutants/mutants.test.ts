import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { mutations } from "../long/mutations.mjs";
import { controlProblems, noticeProblems } from "./judge.ts";
import { mutants } from "./list/index.ts";
import { planted } from "./mutant.ts";

const unplanted = ["P8", "P10", "P28", "P30"];

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const read = (file: string) => readFileSync(pathOf(file), "utf8");

describe("the list of planted faults", () => {
  it("names each fault once, and only lines that docs/spec has", () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const spec = ["promises", "failure-modes", "requirements"]
      .map((list) => read(`docs/spec/${list}.md`))
      .join("\n");
    const unknown = mutants.flatMap(({ name, breaks }) =>
      breaks.filter((id) => !spec.includes(`**${id}**`)).map((id) => `${name}: ${id}`),
    );
    expect(unknown).toEqual([]);
    expect(mutants.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
  });

  it("breaks every promise that is not open, here or in a long suite", () => {
    const inLongSuites: Record<string, keyof typeof mutations> = {
      P1: "early",
      P2: "normal",
      P3: "early",
      P7: "goingOn",
      P12: "again",
      P25: "patience",
      P24: "remains",
      P29: "unbounded",
      P31: "markers",
      P36: "origin",
      P41: "unseen",
    };
    expect(Object.values(inLongSuites).filter((name) => !(name in mutations))).toEqual([]);
    const broken = new Set([
      ...mutants.flatMap(({ breaks }) => breaks),
      ...Object.keys(inLongSuites),
    ]);
    const open = read("docs/spec/open.md");
    const whole = Array.from({ length: 41 }, (_, index) => `P${index + 1}`).filter(
      (id) => !broken.has(id) && !open.includes(`**${id}** `),
    );
    // Proved by suites that take long or by probes; no fault is planted yet.
    expect(whole).toEqual(unplanted);
  });

  it("holds patches that fit today's sources, each in one place", () => {
    const broken = mutants.flatMap(({ name, patches }) => {
      try {
        for (const { file } of patches) planted(read(file), file, patches);
        return [];
      } catch (error) {
        return [`${name}: ${(error as Error).message}`];
      }
    });
    expect(broken).toEqual([]);
  });

  it("names test files that exist", () => {
    const missing = mutants.flatMap(({ name, noticedBy: { file } }) =>
      existsSync(pathOf(file)) ? [] : [`${name}: ${file}`],
    );
    expect(missing).toEqual([]);
  });

  it("holds patches for the long suites that fit today's sources", () => {
    const stale = Object.values(mutations).flatMap(({ what, patches }) =>
      patches
        .filter(({ file, from }) => !read(file).includes(from))
        .map(({ file, from }) => `${what}: ${file} does not hold: ${from}`),
    );
    expect(stale).toEqual([]);
  });
});

describe("a fault", () => {
  const notice = { file: "a.test.ts", test: "keeps" };
  const assertion = { name: "AssertionError", message: "expected 1 to be 2" };
  const failed = (error: { name: string; message: string }) => ({
    errors: [],
    tests: [{ name: "it keeps all", state: "failed" as const, errors: [error] }],
  });
  const passed = {
    errors: [],
    tests: [{ name: "it keeps all", state: "passed" as const, errors: [] }],
  };

  it("is noticed by the failed assertion of the named test", () => {
    expect(noticeProblems(notice, failed(assertion))).toEqual([]);
    const refused = { name: "Error", message: "cancel was not refused: run.cancelled" };
    expect(noticeProblems({ ...notice, failure: "was not refused" }, failed(refused))).toEqual([]);
  });

  it.each([
    ["the test passes", passed, "no test notices it"],
    ["another test fails", { ...failed(assertion), test: "other" }, "no test notices it"],
    ["the file does not load", { errors: ["Unexpected token"], tests: [] }, "does not run"],
    ["a test times out", failed({ name: "Error", message: "Test timed out" }), "another reason"],
    ["a hook times out", failed({ name: "Error", message: "Hook timed out" }), "another reason"],
    ["the patch is wrong", failed({ name: "TypeError", message: "no function" }), "another reason"],
  ])("is not noticed when %s", (_, outcome, words) => {
    const test = "test" in outcome ? outcome.test : notice.test;
    expect(noticeProblems({ ...notice, test }, outcome)[0]).toContain(words);
  });

  it("needs a control in which the named test is there and passes", () => {
    expect(controlProblems(notice, passed)).toEqual([]);
    expect(controlProblems(notice, failed(assertion))[0]).toContain("without the fault");
    expect(controlProblems(notice, { errors: [], tests: [] })[0]).toContain("there is no test");
    expect(controlProblems(notice, { ...passed, errors: ["x"] })[0]).toContain("does not run");
  });
});
