import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Origin, originOf } from "../scripts/origin.mjs";

const script = fileURLToPath(new URL("../scripts/spec.mjs", import.meta.url));

let root: string;
let origin: Origin;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-spec-"));
  write(".gitignore", ".results/\n");
  writeSpec();
  git("init", "--quiet");
  commit();
});

beforeEach(() => {
  for (const made of [".results", "packages", "docs"]) {
    rmSync(join(root, made), { recursive: true, force: true });
  }
  writeSpec();
});

afterAll(() => rmSync(root, { recursive: true }));

function git(...args: string[]) {
  const who = ["-c", "user.name=t", "-c", "user.email=t@t.test", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: root, stdio: "ignore" });
}

function commit() {
  git("add", "-A");
  git("commit", "--quiet", "--allow-empty", "-m", "x");
  origin = originOf(root);
}

function write(file: string, text: string) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

const entries = (prefix: string, count: number, mark = "U") =>
  Array.from({ length: count }, (_, index) => `- **${prefix}${index + 1}** [${mark}] A sentence.`);

function writeSpec(requirements = entries("R000-", 300)) {
  const ui = entries("R001-", 4, "UI");
  const whole = entries("R002-", 4, "T");
  const lists = {
    "requirements.md": ["## Loop", ...requirements, ...ui, ...whole, "## Across", ...across],
    "promises.md": ["## Promises", ...entries("P", 41), "## Attacks", ...entries("S", 18)],
    "failure-modes.md": ["## Failures", ...entries("F", 47), "## Complaints", ...entries("U", 25)],
  };
  for (const [name, lines] of Object.entries(lists)) write(`docs/spec/${name}`, lines.join("\n"));
}

const across = entries("RX-", 13, "N");

interface Suite {
  readonly file?: string;
  readonly status?: string;
  /** By title, below the titles of describes: `["journal", "keeps order"]` is written "journal > keeps order". */
  readonly tests?: Record<string, string>;
}

function writeResults(name: string, suite: Suite | Record<string, string>, from: object = origin) {
  const {
    file = "packages/a/src/a.test.ts",
    status,
    tests,
  } = isSuite(suite) ? suite : { tests: suite };
  const assertionResults = Object.entries(tests ?? {}).map(([fullName, result]) => {
    const titles = fullName.split(" > ");
    return { fullName, title: titles.at(-1), ancestorTitles: titles.slice(0, -1), status: result };
  });
  const testResults = [{ name: join(root, file), status: status ?? "passed", assertionResults }];
  write(`.results/${name}`, JSON.stringify({ testResults, origin: from }));
}

const isSuite = (suite: object): suite is Suite => "tests" in suite || "file" in suite;

function spec(...flags: string[]) {
  const args = [script, "--root", root, ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const lines = stdout.trimEnd().split("\n");
  return { status, stdout, stderr, lines, last: lines.at(-1) };
}

describe("npm run spec", () => {
  it("meets no line without results, and says what to do", () => {
    const { status, lines, stdout } = spec();
    expect(status).toBe(0);
    expect(stdout).toContain("run `npm test` first");
    expect(stdout).toContain("Loop: 308 not met");
    expect(lines.slice(-5)).toEqual([
      "promises met 0 of 41",
      "failure modes met 0 of 47",
      "complaints met 0 of 25",
      "attacks met 0 of 18",
      "met 0 of 321",
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
      "met 2 of 321",
    ]);
    expect(stdout).toContain("Loop: 306 not met");
    expect(stdout).not.toMatch(/R000-1\b/);
  });

  it("does not meet an id that any test naming it fails", () => {
    writeResults("a.json", { "one [R000-1]": "passed" });
    writeResults("b.json", { "two [R000-1]": "failed" });
    const { last, stdout } = spec();
    expect(last).toBe("met 0 of 321");
    expect(stdout).toContain("R000-1(failed)");
  });

  it("does not count skipped tests, bare ids or ranges", () => {
    writeResults("a.json", {
      "one [R000-1]": "skipped",
      "two [R000-2]": "pending",
      "three R000-3": "passed",
      "four [R000-4–9]": "passed",
    });
    expect(spec().last).toBe("met 0 of 321");
  });

  it.each<[string, () => object, string]>([
    [
      "of another commit",
      () => ({ ...origin, commit: "a".repeat(40) }),
      "is of another commit (aaaaaaa)",
    ],
    [
      "of another checkout",
      () => ({ ...origin, checkout: "b" }),
      "was written by another checkout",
    ],
    ["without a commit", () => ({}), "does not say which commit it is of"],
  ])("names and ignores results %s", (_, from, why) => {
    writeResults("old.json", { "one [R000-1]": "passed" }, from());
    const { last, stdout } = spec();
    expect(stdout).toContain(`old.json ${why}, ignored`);
    expect(last).toBe("met 0 of 321");
  });

  it("ignores results of the commit before", () => {
    writeResults("a.json", { "one [R000-1]": "passed" });
    expect(spec().last).toBe("met 1 of 321");
    commit();
    expect(spec().last).toBe("met 0 of 321");
  });

  it("names and ignores results of a tree with uncommitted changes, and counts them with --dirty", () => {
    write("packages/a/src/new.ts", "");
    expect(originOf(root).dirty).toBe(true);
    writeResults("a.json", { "one [R000-1]": "passed" }, originOf(root));
    const told = "a.json was written with uncommitted changes";
    const strict = spec();
    expect(strict.stdout).toContain(`${told}, ignored (--dirty counts it)`);
    expect(strict.last).toBe("met 0 of 321");
    const working = spec("--dirty");
    expect(working.stdout).toContain(`${told}, counted`);
    expect(working.last).toBe("met 1 of 321");
  });

  it("counts the ids of a file that did not load as failed", () => {
    write("packages/a/src/b.test.ts", 'it("keeps [R000-1]", () => {});');
    writeResults("a.json", { "one [R000-1]": "passed" });
    writeResults("b.json", { file: "packages/a/src/b.test.ts", status: "failed" });
    const { last, stdout } = spec();
    expect(last).toBe("met 0 of 321");
    expect(stdout).toContain("R000-1(failed)");
  });

  it("counts an id of a describe only when all tests below it passed", () => {
    writeResults("a.json", {
      "tokens [R000-1] > work": "passed",
      "tokens [R000-1] > inside > expire": "skipped",
      "waits [R000-2] > work": "passed",
      "waits [R000-2] > inside > expire": "passed",
      "runs [R000-3] > work": "passed",
      "runs [R000-3] > inside > end": "failed",
    });
    const { last, stdout } = spec();
    expect(last).toBe("met 1 of 321");
    expect(stdout).toContain("R000-3(failed)");
    expect(stdout).not.toMatch(/R000-2\b/);
  });

  it("counts [UI] from test/browser alone", () => {
    writeResults("a.json", { "shown [R001-1] [R001-2]": "passed" });
    writeResults("b.json", { file: "test/story/a.test.ts", tests: { "[R001-2]": "passed" } });
    writeResults("c.json", { file: "test/browser", tests: { "[R001-3]": "passed" } });
    const { last, stdout } = spec();
    expect(last).toBe("met 1 of 321");
    expect(stdout).toContain("R001-1(no browser test)");
    expect(stdout).toContain("R001-2(no browser test)");
    expect(stdout).not.toMatch(/R001-3\b/);
  });

  it("counts [T] from test/, and from files that open a host or the SQLite store", () => {
    const folder = "packages/server/src";
    write(`${folder}/rule.test.ts`, 'import { rule } from "./rule.ts";');
    write(`${folder}/rule.ts`, 'import { wireHost } from "./host.ts";');
    write(`${folder}/type.test.ts`, 'import type { wireHost } from "./host.ts";');
    write(`${folder}/http/a.test.ts`, 'import { app } from "./testing/app.ts";');
    write(
      `${folder}/http/testing/app.ts`,
      'import { testHost } from "../../testing/test-host.ts";',
    );
    write(
      `${folder}/testing/test-host.ts`,
      'import { type HostParts, wireHost } from "../host.ts";',
    );
    const tests = (id: string) => ({ [`it [${id}]`]: "passed" });
    writeResults("a.json", { file: `${folder}/rule.test.ts`, tests: tests("R002-1") });
    writeResults("b.json", { file: `${folder}/type.test.ts`, tests: tests("R002-2") });
    writeResults("c.json", { file: `${folder}/http/a.test.ts`, tests: tests("R002-3") });
    writeResults("d.json", { file: "test/crash", tests: tests("R002-4") });
    const { last, stdout } = spec();
    expect(last).toBe("met 2 of 321");
    expect(stdout).toContain("R002-1(no test with a host or a store)");
    expect(stdout).toContain("R002-2(no test with a host or a store)");
    expect(stdout).not.toMatch(/R002-[34]\b/);
  });

  it("meets rationale lines by the documentation alone, and prints the sentence of each", () => {
    writeResults("a.json", { "tested [RX-2]": "passed" });
    write("docs/spec/rationale.md", "# Why\n\n- **Files.** [RX-1] They\n  stay.\n- And more.\n");
    write("docs/decisions/0001-x.md", "Because. [RX-3]\n");
    const { last, lines, stdout } = spec();
    expect(last).toBe("met 2 of 321");
    expect(lines.at(-2)).toBe("by tests 0, by a sentence 2");
    expect(lines.slice(1, 5)).toEqual([
      "  RX-1 A sentence.",
      "    docs/spec/rationale.md:3 **Files.** [RX-1] They stay.",
      "  RX-3 A sentence.",
      "    docs/decisions/0001-x.md:1 Because. [RX-3]",
    ]);
    expect(stdout).not.toContain("And more");
  });

  it("prints what is open and when it will be met, and what the list of open lines gets wrong", () => {
    const open = ["## issue 7, sandboxes", "- **R000-2** No sandbox.", "- **R000-3** No sandbox."];
    write("docs/spec/open.md", open.join("\n"));
    writeResults("a.json", { "[R000-3]": "passed" });
    const { stdout } = spec();
    expect(stdout).toContain("open until issue 7, sandboxes: 1\n  R000-2\n");
    expect(stdout).toContain("met, but still listed in docs/spec/open.md: R000-3");
    expect(stdout).toMatch(/not listed in docs\/spec\/open.md:[\s\S]* R000-1 R000-4 /);
  });

  it("names ids of test titles that no list has", () => {
    writeResults("a.json", { "typo [R009-1]": "passed" });
    expect(spec().stdout).toContain("tests name ids that no list has: R009-1");
  });

  it("ignores a result file of another shape", () => {
    write(".results/bench.json", "{}");
    write(".results/half.json", "{");
    const { stdout, status, last } = spec();
    expect({ status, last }).toEqual({ status: 0, last: "met 0 of 321" });
    expect(stdout).toContain("half.json holds no test results, ignored");
  });

  it.each([
    ["a missing requirement", entries("R000-", 299), "lists 320 requirements, not 321"],
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

  it("says what it needs where there is no git", () => {
    rmSync(join(root, ".git"), { recursive: true });
    const { status, stderr } = spec();
    expect(status).toBe(1);
    expect(stderr).toContain("no git checkout");
  });
});
