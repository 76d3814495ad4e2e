import { describe, expect, test } from "vitest";
import type { Json } from "../events.ts";
import { type Request, requestLine, requestOf, requestTitle } from "./request.ts";

const read = (toolInput: Json) => requestOf({ toolInput, inputBlob: null, inputPreview: null });
const diff = { type: "diff", path: "b", oldText: null, newText: "z" };
const red = { label: "Red", description: "warm" };

test.each<[string, Json, object]>([
  [
    "a command with its folder, and every other field beside it",
    { command: "cat <<'E'\nx\nE", cwd: "/w", timeout: 5, env: { A: "1" } },
    {
      kind: "command",
      command: "cat <<'E'\nx\nE",
      folder: "/w",
      rest: [
        ["env", { A: "1" }],
        ["timeout", 5],
      ],
    },
  ],
  [
    "a command sent as words, each quoted where a shell needs it",
    { command: ["bash", "-lc", "rm 'a b'"] },
    { kind: "command", command: "bash -lc 'rm '\\''a b'\\'''", rest: [] },
  ],
  [
    "a command before anything else that the input names",
    { command: "rm a", path: "a", content: "x", plan: "p", url: "u" },
    {
      kind: "command",
      rest: [
        ["content", "x"],
        ["path", "a"],
        ["plan", "p"],
        ["url", "u"],
      ],
    },
  ],
  ["an empty command, which says nothing", { command: "" }, { kind: "other" }],
  [
    "an edit under the names of one agent",
    { file_path: "/w/a", old_string: "x", new_string: "y", replace_all: true },
    {
      kind: "edit",
      edits: [{ path: "/w/a", before: "x", after: "y" }],
      rest: [["replace_all", true]],
    },
  ],
  [
    "an edit under the names of another",
    { filePath: "a", oldString: "x", newString: "y" },
    { kind: "edit", edits: [{ path: "a", before: "x", after: "y" }], rest: [] },
  ],
  [
    "a file that is written whole",
    { path: "a", content: "new" },
    { kind: "edit", edits: [{ path: "a", before: null, after: "new" }], rest: [] },
  ],
  [
    "several edits of one file, with the fields inside each that are not drawn",
    {
      file_path: "a",
      edits: [
        { old_string: "1", new_string: "2" },
        { new_string: "4", all: true },
      ],
    },
    {
      edits: [
        { path: "a", before: "1", after: "2" },
        { path: "a", before: "", after: "4" },
      ],
      rest: [["edits[1].all", true]],
    },
  ],
  [
    "an edit of which one piece cannot be read, as it came",
    { file_path: "a", edits: [{ old_string: "1", new_string: "2" }, { delete: true }] },
    { kind: "other", rest: [] },
  ],
  [
    "the protocol's own diffs",
    { title: "Write b", content: [diff] },
    { edits: [{ path: "b", before: null, after: "z" }], rest: [["title", "Write b"]] },
  ],
  [
    "a diff with a field that is no text",
    { content: [{ ...diff, oldText: 5 }] },
    { kind: "edit", rest: [["content[0].oldText", 5]] },
  ],
  [
    "a patch by its path",
    { changes: { "a.ts": { type: "update", unified_diff: "@@ -1 +1 @@" } } },
    {
      kind: "patch",
      path: "a.ts",
      patch: "@@ -1 +1 @@",
      rest: [["changes.a.ts.type", "update"]],
    },
  ],
  ["a plan", { plan: "# Do it" }, { kind: "plan", plan: "# Do it", rest: [] }],
  [
    "an address",
    { url: "https://example.org/x", prompt: "read" },
    { kind: "fetch", url: "https://example.org/x", rest: [["prompt", "read"]] },
  ],
  [
    "questions with their choices, and the fields inside that are not drawn",
    {
      questions: [{ question: "Which?", header: "Hue", options: [{ ...red, preview: 1 }, "Blue"] }],
    },
    {
      kind: "question",
      questions: [
        {
          question: "Which?",
          choices: [
            { label: "Red", about: "warm" },
            { label: "Blue", about: "" },
          ],
        },
      ],
      rest: [
        ["questions[0].header", "Hue"],
        ["questions[0].options[0].preview", 1],
      ],
    },
  ],
  [
    "one question by itself",
    { question: "Sure?", options: [red], header: "Sure" },
    { kind: "question", questions: [{ question: "Sure?" }], rest: [["header", "Sure"]] },
  ],
  ["anything else", { n: 1 }, { kind: "other", rest: [] }],
  ["an input that is no object", "ls", { kind: "other", rest: [] }],
  [
    "an input that an earlier version found too large, whatever else it says it is",
    { type: "unreadable", reason: "larger than 196608 bytes", command: "ls" },
    { kind: "hidden", blob: null },
  ],
])("reads %s", (_, input, request) => {
  expect(read(input)).toMatchObject(request);
});

test("an input that is too large is hidden, whatever its beginning says", () => {
  const inputBlob = { hash: "ab", bytes: 7 };
  const asked = { toolInput: { command: "ls" }, inputBlob, inputPreview: "{" };
  expect(requestOf(asked)).toMatchObject({ kind: "hidden", blob: inputBlob, beginning: "{" });
});

describe("a request is called the same on every screen", () => {
  const names = (name: string, input: Json, request: Request = read(input)) => [
    requestTitle(request, { name, input }),
    requestLine(request, { name, input }),
  ];

  test.each<[string, Json, string, string]>([
    ["execute", { command: "npm\ntest" }, "Run a command", "Run a command: npm ⏎ test"],
    ["edit", { path: "a", content: "" }, "Write a", "Write a"],
    ["edit", { path: "a", new_string: "x" }, "Edit a", "Edit a"],
    [
      "edit",
      { content: [diff, { ...diff, path: "c" }] },
      ...(["Write 2 files", "Write 2 files"] as const),
    ],
    ["x", { plan: "# Do it\nnow" }, "Approve a plan", "Approve a plan: # Do it"],
    [
      "fetch",
      { url: "https://example.org/x" },
      ...(["Fetch from example.org", "Fetch from example.org: https://example.org/x"] as const),
    ],
    ["ask", { question: "Sure?" }, "Answer a question", "Answer a question: Sure?"],
    ["Question 1", { n: 1 }, "Question 1", "Question 1 n: 1"],
    ["other", { n: 1 }, "Use a tool", "Use a tool n: 1"],
    ["read", { path: "a" }, "Read a", "Read a"],
    ["Read a", { path: "a" }, "Read a", "Read a"],
  ])("%s %j", (name, input, title, line) => {
    expect(names(name, input)).toEqual([title, line]);
  });

  test("a hidden one by its call alone", () => {
    const hidden: Request = { kind: "hidden", beginning: "{", blob: null, rest: [] };
    expect(names("execute", { type: "unreadable" }, hidden)).toEqual(["Run", "Run"]);
  });

  test("a long target is cut in the title", () => {
    const [title = ""] = names("Look up", { query: "x".repeat(5000) });
    expect(title.length).toBeLessThan(250);
  });
});
