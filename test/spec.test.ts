import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("../scripts/spec.mjs", import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-spec-"));
  mkdirSync(join(folder, "docs", "spec"), { recursive: true });
  mkdirSync(join(folder, "results"));
  writeSpec();
});

afterEach(() => rmSync(folder, { recursive: true }));

const entries = (prefix: string, count: number, mark = "T") =>
  Array.from({ length: count }, (_, index) => `- **${prefix}${index + 1}** [${mark}] A sentence.`);

function writeSpec(requirements = entries("R000-", 300)) {
  const lists = {
    "requirements.md": ["## Loop", ...requirements, "## Across", ...entries("RX-", 13, "N")],
    "promises.md": ["## Promises", ...entries("P", 41), "## Attacks", ...entries("S", 18)],
    "failure-modes.md": ["## Failures", ...entries("F", 47), "## Complaints", ...entries("U", 25)],
  };
  for (const [name, lines] of Object.entries(lists)) {
    writeFileSync(join(folder, "docs", "spec", name), lines.join("\n"));
  }
}

function writeResults(name: string, tests: Record<string, string>) {
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({
    fullName,
    status,
  }));
  writeFileSync(
    join(folder, "results", name),
    JSON.stringify({ testResults: [{ assertionResults }] }),
  );
}

function spec() {
  const args = [script, "--docs", join(folder, "docs"), "--results", join(folder, "results")];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const lines = stdout.trimEnd().split("\n");
  return { status, stdout, stderr, lines, last: lines.at(-1) };
}

describe("npm run spec", () => {
  it("meets nothing without results, and says what to do", () => {
    const { status, lines, stdout } = spec();
    expect(status).toBe(0);
    expect(stdout).toContain("run `npm test` first");
    expect(stdout).toContain("Loop: 300 not met");
    expect(lines.slice(-5)).toEqual([
      "promises met 0 of 41",
      "failure modes met 0 of 47",
      "complaints met 0 of 25",
      "attacks met 0 of 18",
      "met 0 of 313",
    ]);
  });

  it("counts each id a passing title names, over all result files", () => {
    writeResults("a.json", { "keeps text [R000-1] [P12] [S18]": "passed" });
    writeResults("b.json", { "journal [R000-2] > keeps order": "passed", "[F3] [U7]": "passed" });
    const { lines, stdout } = spec();
    expect(lines.slice(-5)).toEqual([
      "promises met 1 of 41",
      "failure modes met 1 of 47",
      "complaints met 1 of 25",
      "attacks met 1 of 18",
      "met 2 of 313",
    ]);
    expect(stdout).toContain("Loop: 298 not met");
    expect(stdout).not.toMatch(/R000-1\b/);
  });

  it("does not meet an id that any test naming it fails", () => {
    writeResults("a.json", { "one [R000-1]": "passed" });
    writeResults("b.json", { "two [R000-1]": "failed" });
    const { last, stdout } = spec();
    expect(last).toBe("met 0 of 313");
    expect(stdout).toContain("R000-1(failed)");
  });

  it("does not count skipped tests, bare ids or ranges", () => {
    writeResults("a.json", {
      "one [R000-1]": "skipped",
      "two [R000-2]": "pending",
      "three R000-3": "passed",
      "four [R000-4–9]": "passed",
    });
    expect(spec().last).toBe("met 0 of 313");
  });

  it("meets rationale lines by the documentation outside the lists, not by tests", () => {
    writeResults("a.json", { "tested [RX-2]": "passed" });
    writeFileSync(join(folder, "docs", "spec", "rationale.md"), "Files stay. [RX-1] And more.\n");
    mkdirSync(join(folder, "docs", "decisions"));
    writeFileSync(join(folder, "docs", "decisions", "0001-x.md"), "Because. [RX-3]\n");
    expect(spec().last).toBe("met 2 of 313");
  });

  it("names ids of test titles that no list has", () => {
    writeResults("a.json", { "typo [R009-1]": "passed" });
    expect(spec().stdout).toContain("tests name ids that no list has: R009-1");
  });

  it("ignores a result file of another shape", () => {
    writeFileSync(join(folder, "results", "bench.json"), "{}");
    expect(spec()).toMatchObject({ status: 0, last: "met 0 of 313" });
  });

  it.each([
    ["a missing requirement", entries("R000-", 299), "lists 312 requirements, not 313"],
    [
      "a repeated id",
      [...entries("R000-", 299), "- **R000-1** [T] Again."],
      "R000-1 a second time",
    ],
    ["a line without a mark", [...entries("R000-", 299), "- **R000-300** A sentence."], "is not"],
  ])("fails loudly on %s", (_, requirements, message) => {
    writeSpec(requirements);
    const { status, stderr } = spec();
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });
});
