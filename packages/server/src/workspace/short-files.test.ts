import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, Part, ToolPart, Transcript } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { editDiffOf } from "../session/edit-diff.ts";
import { shortFiles, shortFileWords, writtenIn } from "./short-files.ts";
import { newFolder, removeFolders, write } from "./testing/repo.ts";

afterEach(removeFolders);

const edit = (path: string, newText: string, toolCallId: string): Part => ({
  type: "other",
  seq: 1,
  recovered: false,
  part: { type: "diff", path, oldText: null, newText, toolCallId },
});

/** An edit too large for an event, as `fitting` journals it. */
function largeEdit(path: string, newText: string): Part {
  const diff = editDiffOf({ type: "diff", path, oldText: null, newText });
  const blob = { hash: "0".repeat(64), bytes: newText.length };
  const part = { type: "blob", preview: "", diff: { ...diff } as Record<string, Json>, ...blob };
  return { type: "other", seq: 1, part, recovered: false };
}

function call(
  input: Json,
  {
    name = "Bash",
    status = "completed",
    id = "c1",
  }: Partial<Record<"name" | "id", string>> & {
    status?: ToolPart["status"];
  } = {},
): Part {
  const times = { startedAt: null, endedAt: null };
  return { type: "tool", seq: 1, toolCallId: id, name, input, status, output: "", ...times };
}

function writtenAfter(...contentParts: readonly Part[]) {
  const message = { role: "assistant", runId: "run_1", contentParts };
  const run = { id: "run_1", continues: null, taken: [{ by: "a1", toldFrom: null }] };
  const transcript = { messages: [message], runs: [run] } as unknown as Transcript;
  return writtenIn(transcript);
}

test("files of all runs that the last one continues are taken, and none from before a retry from the start", () => {
  const taken = [{ by: "a1", toldFrom: null }];
  const ids = ["run_1", "run_2", "run_3"];
  const messages = ids.map((runId) => {
    return { role: "assistant", runId, contentParts: [edit(runId, "12345", `e-${runId}`)] };
  });
  const written = (from: "start" | "error") => {
    const runs = [
      { id: "run_1", continues: null, taken },
      { id: "run_2", continues: "run_1", from, taken },
      { id: "run_3", continues: "run_2", from: "error", taken },
    ];
    return writtenIn({ messages, runs } as unknown as Transcript).map(({ path }) => path);
  };
  expect(written("error")).toEqual(ids);
  expect(written("start")).toEqual(["run_2", "run_3"]);
});

const a = (...later: readonly Part[]) =>
  writtenAfter(call({}, { id: "e1" }), edit("a.txt", "12345", "e1"), ...later);

describe("a file that an edit wrote", () => {
  test("is taken for certain where only edits and refused calls came after it", () => {
    const surely = [{ path: "a.txt", bytes: 5, isTouched: false }];
    expect(a()).toEqual(surely);
    const [second, call2] = [edit("b.txt", "1", "e2"), call({}, { id: "e2", name: "Edit" })];
    const also = { path: "b.txt", bytes: 1, isTouched: false };
    expect(a(call2, second)).toEqual([...surely, also]);
    expect(a(call({ command: "rm a.txt" }, { status: "denied" }))).toEqual(surely);
    expect(a(call({ command: "rm a.txt" }, { status: "not_started" }))).toEqual(surely);
  });

  test("is taken with a doubt where another call ran after it", () => {
    const perhaps = [{ path: "a.txt", bytes: 5, isTouched: true }];
    for (const later of [
      call({ command: "npm run clean" }),
      call({ path: "a.txt" }, { name: "Read" }),
      call({ command: "rm a.txt" }, { status: "unknown" }),
      call({ command: "rm b.txt" }),
      call({ command: "rm -f a.txt" }),
      call({ command: "git mv a.txt b.txt" }),
      call({ path: "/w/a.txt" }, { name: "delete_file" }),
    ]) {
      expect(a(later)).toEqual(perhaps);
    }
    // A file that is written again afterwards is certain again.
    expect(a(call({ command: "rm a.txt" }), edit("a.txt", "1", "e3"))).toMatchObject([
      { bytes: 1, isTouched: false },
    ]);
  });

  test.each([
    'grep -n "remove" src/list.ts',
    "docker run --rm -v .:/w node:24 node /w/src/list.ts",
    "git rm old.txt && cat src/list.ts",
    "mv /tmp/new.ts src/list.ts",
  ])("is still checked after `%s`", async (command) => {
    const root = newFolder();
    write(root, { "src/list.ts": "" });
    const later = call({ command });
    const written = writtenAfter(edit("src/list.ts", "12345", "e1"), later);
    expect((await shortFiles(root, written)).map(shortFileWords)).toEqual([
      "src/list.ts is empty; the last edit wrote 5 bytes, and a later call may have changed it",
    ]);
  });

  test("counts however large the edit is, and not where an earlier version did not keep its size", () => {
    const text = "line\n".repeat(20_000);
    expect(writtenAfter(largeEdit("big.txt", text))).toEqual([
      { path: "big.txt", bytes: 100_000, isTouched: false },
    ]);
    const old = largeEdit("big.txt", text);
    if (old.type === "other") delete (old.part.diff as Record<string, Json>).wrote;
    expect(writtenAfter(old)).toEqual([]);
  });
});

test("a file is short when it is smaller or gone, and not when it cannot be read", async () => {
  const root = newFolder();
  write(root, { "whole.txt": "12345", "short.txt": "1", file: "" });
  mkdirSync(join(root, "folder"));
  writeFileSync(join(root, "folder", "in.txt"), "12345");
  const paths = ["whole.txt", "short.txt", "gone.txt", "folder/in.txt", "x".repeat(300), "../out"];
  const written = paths.map((path) => ({ path, bytes: 5, isTouched: path === "gone.txt" }));
  const short = await shortFiles(root, written);
  expect(short.map(shortFileWords)).toEqual([
    "short.txt has 1 bytes; the last edit wrote 5 bytes",
    "gone.txt is gone; the last edit wrote 5 bytes, and a later call may have changed it",
  ]);
});
