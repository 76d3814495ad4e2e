import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { LONGEST, messageProblems } from "../scripts/commit-message.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

test.each([
  "journal: cut a torn tail before the first append",
  "session, web: process an answer once",
  "test: embed a page\n\nIts reason; in more than one sentence.\n# A comment of git.",
  "# A comment of git.\ncli: bring the list up to date",
  'Revert "cli: list sessions"',
  "fixup! cli: list sessions",
  `web: ${"a".repeat(LONGEST - 5)}`,
])("the message %j is fine", (message) => {
  expect(messageProblems(message)).toEqual([]);
});

test.each([
  ["list sessions", "scope"],
  ["Cli: list sessions", "scope"],
  ["cli:list sessions", "scope"],
  ["cli:  ", "scope"],
  ["", "scope"],
  ["cli: lists sessions", "imperative"],
  ["cli: listed sessions", "imperative"],
  ["cli: listing sessions", "imperative"],
  ["cli: made a list", "imperative"],
  ["web: only a hand leaves the end", "imperative"],
  ["cli: list sessions; test: wait for them", "two commits"],
  ["cli: list sessions.", "dot"],
  [`web: ${"a".repeat(LONGEST - 4)}`, "at most 100 characters"],
])("the message %j is refused: %s", (message, reason) => {
  expect(messageProblems(message)).toEqual([expect.stringContaining(reason)]);
});

test("the hook stops a commit with a refused message, and lets the others through", () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-commit-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const git = (...args: string[]) => {
    const own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", `core.hooksPath=${hooks}`];
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    return spawnSync("git", ["-C", dir, ...own, ...args], { env: { ...process.env, PATH } });
  };
  const hooks = join(root, "scripts/git-hooks");
  git("init", "-q");
  const refused = git("commit", "--allow-empty", "-m", "list sessions");
  expect([refused.status, String(refused.stderr)]).toEqual([
    1,
    "commit message: begin with a scope: `journal: cut a torn tail`\n",
  ]);
  expect(git("commit", "--allow-empty", "-m", "cli: list sessions").status).toBe(0);
});
