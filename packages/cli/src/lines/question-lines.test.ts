import type { Json } from "@holdfast/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { plain } from "../output/words.ts";
import { questionLines } from "./question-lines.ts";
import type { Question } from "./render.ts";

const asked = (input: Json, more: Partial<Question> = {}): Question => ({
  approvalId: "appr_1",
  runId: "run_1",
  toolCallId: "t1",
  name: "execute",
  input,
  digest: "d",
  ...more,
});
const textOf = (question: Question) => questionLines(question).map(plain);

test("a question says first that its agent stopped after it asked", () => {
  const asker = "The agent stopped after it asked.";
  expect(textOf(asked({ command: "ls" }, { asker }))).toEqual([
    ...["? needs you: Run a command", `    ${asker}`, "    $ ls"],
  ]);
});

test.each<[string, Json, string[]]>([
  [
    "a command with its folder",
    { command: "node --test\necho $HOME", cwd: "/app" },
    ["? needs you: Run a command", "    $ node --test", "      echo $HOME", "    in /app"],
  ],
  [
    "a command sent as words",
    { command: ["bash", "-lc", "rm -rf a b"] },
    ["? needs you: Run a command", "    $ bash -lc 'rm -rf a b'"],
  ],
  [
    "an edit as what goes and what comes",
    { file_path: "/app/a.ts", new_string: "let b;\nlet c;\n", old_string: "let a;\n" },
    [
      ...["? needs you: Edit /app/a.ts", "    +2 −1 lines"],
      ...["    - let a;", "    + let b;", "    + let c;"],
    ],
  ],
  [
    "an edit that adds the last newline",
    { path: "a", old_string: "let a;", new_string: "let a;\n" },
    [
      ...["? needs you: Edit a", "    +1 −1 lines"],
      ...["    - let a;", "    \\ No newline at end", "    + let a;"],
    ],
  ],
  [
    "an edit that takes the last newline",
    { path: "a", old_string: "let a;\n", new_string: "let a;" },
    [
      ...["? needs you: Edit a", "    +1 −1 lines"],
      ...["    - let a;", "    + let a;", "    \\ No newline at end"],
    ],
  ],
  [
    "a new file with its content",
    { path: "NOTES.md", content: "# Notes" },
    ["? needs you: Write NOTES.md", "    1 line", "    + # Notes"],
  ],
  [
    "a plan as its text",
    { plan: "## Plan\n1. Look" },
    ["? needs you: Approve a plan", "    ## Plan", "    1. Look"],
  ],
  [
    "an address",
    { url: "https://example.org/" },
    ["? needs you: Fetch from example.org", "    https://example.org/"],
  ],
  [
    "anything else by its name and exact input",
    { depth: 3 },
    ["? needs you: Run", '    {"depth":3}'],
  ],
  [
    "fields that the drawing does not show below it, exactly",
    { command: "ls", timeout: 5, sandbox: false },
    ["? needs you: Run a command", "    $ ls", '    {"sandbox":false,"timeout":5}'],
  ],
])("%s", (_, input, lines) => {
  expect(textOf(asked(input))).toEqual(lines);
});

test("a question of the agent shows its options", () => {
  const questions = [{ question: "Which one?", options: [{ label: "Red" }, { label: "Blue" }] }];
  const lines = textOf(asked({ questions }));
  expect(lines.slice(0, 4)).toEqual([
    ...["? needs you: Answer a question", "    Which one?", "    · Red", "    · Blue"],
  ]);
});

test("no value of an input is left out, however it is drawn [S13]", () => {
  const word = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(..."abcxyz ") });
  const names = ["command", "cwd", "description", "file_path", "path", "old_string", "new_string"];
  const name = fc.constantFrom(...names, "content", "plan", "url", "other", "__proto");
  const inputs = fc.dictionary(
    name,
    word.filter((text) => text.trim() === text),
  );
  fc.assert(
    fc.property(inputs, (input) => {
      const text = textOf(asked(input)).join("\n");
      for (const value of Object.values(input)) expect(text).toContain(value);
    }),
  );
});

test("an input too large to show is announced as such", () => {
  const blob = { hash: "a".repeat(64), bytes: 20_000_000 };
  const large = { session: "sess_1", blob, preview: '{"command":"true' };
  const lines = textOf(asked({ type: "unreadable" }, { large }));
  expect(lines).toEqual([
    "? needs you: Run",
    "    too large to show here (20 MB). This is only the beginning:",
    '    {"command":"true…',
    `    show all 20 MB: holdfast show sess_1 --blob ${blob.hash}`,
  ]);
});

test("a question that is asked again says why, with the changed files", () => {
  const reason = "files_changed" as const;
  const again = { reason, approvalId: "appr_0", files: ["src/a.ts"] };
  const lines = (answer: { decision?: "allow" | "deny" } = {}) =>
    textOf(asked({ command: "ls" }, { again: { ...again, ...answer } })).slice(1, 3);
  expect(lines()).toEqual([
    "    You answered this before, but files have changed since:",
    "      src/a.ts",
  ]);
  expect(lines({ decision: "allow" })[0]).toMatch(/You allowed this before/);
  expect(lines({ decision: "deny" })[0]).toMatch(/You denied this before/);
});
