import type { QueuedView } from "@holdfast/protocol";
import { expect, test } from "vitest";
import type { Row } from "../line/rows.ts";
import { lateEditWords } from "../words/queue.ts";
import {
  begun,
  dropped,
  type Edit,
  leftOf,
  leftQueueOf,
  noEdits,
  put,
  settled,
} from "./queue-edits.ts";

const waiting = (id: string, content: string): QueuedView => ({
  id,
  content,
  blob: null,
  clientId: null,
  model: null,
  urgent: false,
  queuedAt: "2026-01-01T00:00:00Z",
});
const first = waiting("a", "add a test");
const at = (queue: readonly QueuedView[], sent?: string, draft = "") => ({
  queue,
  draft,
  whyLeft: () =>
    sent === undefined ? ({ is: "unknown" } as const) : ({ is: "sent", text: sent } as const),
});
const changed: Edit = { was: "add a test", text: "add two tests", state: "open" };

test("an edit is kept when its message leaves the queue before the edit is saved", () => {
  const edits = settled(put(begun(noEdits, first), "a", changed), at([]));
  expect(leftOf(edits, [])).toEqual([["a", changed]]);
});

test("an unchanged or empty edit is dropped with its message", () => {
  expect(settled(begun(noEdits, first), at([])).size).toBe(0);
  expect(settled(put(noEdits, "a", { ...changed, text: " " }), at([])).size).toBe(0);
});

test("a saved edit is kept until the queue shows it", () => {
  const edits = put(noEdits, "a", { ...changed, state: "saved" });
  expect(settled(edits, at([first]))).toBe(edits);
  expect(settled(edits, at([waiting("a", "add two tests")])).size).toBe(0);
  expect(leftOf(settled(edits, at([])), [])).toHaveLength(1);
});

test("a refused edit reopens with its text, and is dropped only on request", () => {
  const edits = begun(put(noEdits, "a", { ...changed, state: "saved" }), first);
  expect(edits.get("a")).toEqual(changed);
  expect(dropped(edits, "a").size).toBe(0);
});

test("a saved edit whose message was sent is kept only when the message went without it", () => {
  const edits = put(noEdits, "a", { ...changed, state: "saved" });
  expect(settled(edits, at([], "add a test"))).toBe(edits);
  expect(settled(edits, at([], "add two tests")).size).toBe(0);
});

test("a late edit in the message box is done when it was sent or deleted there", () => {
  const edits = put(noEdits, "a", { ...changed, state: "placed" });
  expect(settled(edits, at([], "add a test", "add two tests"))).toBe(edits);
  expect(settled(edits, at([], "add a test", " ")).size).toBe(0);
});

test("an edit that opened again after a reload is done when the queue shows it", () => {
  const edits = put(noEdits, "a", changed);
  expect(settled(edits, at([waiting("a", "add two tests")])).size).toBe(0);
  expect(settled(begun(noEdits, first), at([first])).size).toBe(1);
});

test("a message that left the queue is called sent only when it is in the transcript", () => {
  const prompt = {
    kind: "prompt",
    message: { id: "a", contentParts: [{ type: "text", text: "hi" }] },
  };
  const rows = (...some: object[]) => some as unknown as readonly Row[];
  expect(leftQueueOf(rows(prompt), [], "a")).toEqual({ is: "sent", text: "hi" });
  expect(leftQueueOf(rows(prompt), [], "b")).toEqual({ is: "taken_back" });
  expect(leftQueueOf(rows({ kind: "earlier" }, prompt), [], "b")).toEqual({ is: "unknown" });
  expect(leftQueueOf(rows(prompt), [first], "a")).toEqual({ is: "never_sent" });
  expect(lateEditWords("taken_back", true)).not.toContain("sent");
});
