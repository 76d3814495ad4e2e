import type { Json } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { requestOf, requestTitle } from "./request.ts";

const same = (path: string) => path;
const of = (toolInput: Json) => requestOf({ toolInput, inputBlob: null, inputPreview: null });

test("a command is its lines with its folder, and every other field is listed", () => {
  const command = "cat <<'EOF' > a\none \"two\"\nEOF";
  expect(of({ command, cwd: "/w", timeout: 5, env: { A: "1" } })).toEqual({
    ...{ kind: "command", command, folder: "/w" },
    rest: [
      ["env", '{"A":"1"}'],
      ["timeout", "5"],
    ],
  });
});

test("the words of a command that is a list stay apart", () => {
  expect(of({ command: ["bash", "-lc", "rm 'a b'"] })).toMatchObject({
    command: "bash -lc 'rm '\\''a b'\\'''",
  });
});

test("an edit is what was and what comes, whole files and several places included", () => {
  expect(of({ file_path: "/w/a", old_string: "x", new_string: "y" })).toMatchObject({
    kind: "edit",
    edits: [{ path: "/w/a", before: "x", after: "y" }],
  });
  expect(of({ path: "a", content: "new" })).toMatchObject({
    edits: [{ path: "a", before: null, after: "new" }],
  });
  const pieces = [
    { old_string: "1", new_string: "2" },
    { old_string: "3", new_string: "4" },
  ];
  expect(of({ file_path: "a", edits: pieces })).toMatchObject({
    edits: [
      { before: "1", after: "2" },
      { before: "3", after: "4" },
    ],
  });
  const diff = { type: "diff", path: "b", oldText: null, newText: "z" };
  expect(of({ title: "Write b", content: [diff] })).toMatchObject({
    edits: [{ path: "b", before: null, after: "z" }],
    rest: [["title", "Write b"]],
  });
});

test("an edit of which one piece cannot be read is shown as it came", () => {
  const edits = [{ old_string: "1", new_string: "2" }, { delete: true }];
  expect(of({ file_path: "a", edits })).toEqual({ kind: "other", rest: [] });
});

test("plans, addresses and questions are known by their fields", () => {
  expect(of({ plan: "# Do it" })).toMatchObject({ kind: "plan", plan: "# Do it" });
  expect(of({ url: "https://example.org/x", prompt: "read" })).toMatchObject({
    ...{ kind: "fetch", url: "https://example.org/x", rest: [["prompt", "read"]] },
  });
  const options = [{ label: "Red", description: "warm" }, "Blue"];
  expect(of({ questions: [{ question: "Which?", options }] })).toMatchObject({
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
  });
});

test("an input that is too large is hidden, whatever else it says it is", () => {
  const unreadable = { type: "unreadable", reason: "larger than 196608 bytes", command: "ls" };
  expect(of(unreadable)).toMatchObject({ kind: "hidden", blob: null });
  const inputBlob = { hash: "ab", bytes: 7 };
  const asked = { toolInput: { command: "ls" }, inputBlob, inputPreview: "{" };
  expect(requestOf(asked)).toMatchObject({ kind: "hidden", blob: inputBlob, beginning: "{" });
});

test("a request has a heading by its kind", () => {
  const titles = [
    { command: "ls" },
    { path: "a", content: "" },
    { url: "https://example.org/x" },
    { plan: "p" },
    { n: 1 },
  ].map((input) => requestTitle(of(input), same));
  expect(titles).toEqual([
    ...["Run a command", "Write a", "Fetch from example.org", "Approve a plan", null],
  ]);
});
