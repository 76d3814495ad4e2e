import { type EventBody, type Rung, transcriptOf } from "@holdfast/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as f from "../../gallery/fixtures.ts";
import { type Row, rowAt, rowsOf, type Story } from "./rows.ts";

function rowsFrom(events: ReturnType<typeof f.journal>, change: Partial<Story> = {}) {
  const { messages, receipts } = transcriptOf(events);
  const now = { isHeard: true, isEnded: false, isDismissed: false };
  const story = { messages, receipts, earlier: 0, run: f.runOf(), away: null, ...now };
  return rowsOf({ ...story, ...change });
}

const kinds = (rows: readonly Row[]) => rows.map(({ kind }) => kind);
const asked = [9, f.asked("Do it.")] as const;
const started = [8, f.started()] as const;
const cut: EventBody = {
  kind: "run.interrupted",
  runId: f.RUN,
  reason: "process_restart",
  bootId: "boot_1",
};

const recovered = (rung: Rung): EventBody => ({
  kind: "receipt.issued",
  receiptId: "rcpt_1",
  runId: f.RUN,
  rung,
  ms: 40,
  kept: [],
  lost: [],
  maybeTwice: [],
  evidence: {},
});
/** Rows of one answer whose chunks have a recovery between each two. */
const rowsOfChunks = (chunks: readonly string[]) =>
  rowsFrom(
    f.journal(
      ...[asked, started],
      ...chunks.flatMap((chunk, i) => [
        ...(i === 0 ? [] : [[7, recovered("adopted")] as const]),
        [7, f.said(chunk)] as const,
      ]),
    ),
  );
const textsOf = (rows: readonly Row[]) =>
  rows.flatMap((row) => (row.kind === "text" ? [row.text] : []));
const kept = { since: "2026-01-01T00:00:00.000Z", words: "" } as const;

describe("a transcript as rows", () => {
  test("[R003-55] ends in an indicator while it streams, on a line that is alive", () => {
    const rows = rowsFrom(f.journal(asked, started, [7, f.said("I begin")]));
    expect(kinds(rows)).toEqual(["prompt", "text", "generating"]);
    expect(rows.map(({ line }) => line)).toEqual(["held", "alive", "alive"]);
    expect(rows[1]).toMatchObject({ isStreaming: true });
  });

  test("a recovery stands between the text from before it and the text from after it", () => {
    const events = f.journal(
      ...[asked, started, [7, f.said("First.\n\nSecond, cut ")] as const],
      ...[[6, recovered("adopted")] as const, [5, f.said("here.\n\nThird.\n\nFourth.")] as const],
    );
    const rows = rowsFrom(events);
    expect(kinds(rows)).toEqual(["prompt", "text", "splice", "text", "generating"]);
    expect(rows[1]).toMatchObject({ text: "First.\n\nSecond, cut ", isStreaming: false });
    expect(rows[3]).toMatchObject({ text: "here.\n\nThird.\n\nFourth.", isStreaming: true });
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  test("text between two recoveries in one paragraph appears once", () => {
    const rows = rowsOfChunks([
      "Progress so far -",
      " - - - - - - - - - - - ",
      "done and then many more words follow.\n\nA second paragraph.\n",
    ]);
    expect(kinds(rows)).toEqual(["prompt", "text", "splice", "splice", "text", "generating"]);
    expect(textsOf(rows).map((text) => text.trim())).toEqual([
      "Progress so far - - - - - - - - - - - - done and then many more words follow.",
      "A second paragraph.",
    ]);
    expect(rows[2]).toMatchObject({ inside: "text" });
    expect(rows[3]).toMatchObject({ inside: "text" });
  });

  test("the rows of a text contain each of its words once, in order, wherever it was cut", () => {
    const signs = [
      "- ",
      "- - - - - - ",
      "word ",
      "wo",
      "\n",
      "\n\n",
      "    ",
      "```\n",
      "1. ",
      "*",
      "| ",
    ];
    const chunk = fc.array(fc.constantFrom(...signs), { maxLength: 12 });
    const chunks = fc.array(
      chunk.map((some) => some.join("")),
      { minLength: 1, maxLength: 5 },
    );
    // A piece of only blanks has no row.
    const unspaced = (texts: readonly string[]) => texts.join("").replace(/\s/g, "");
    fc.assert(
      fc.property(fc.oneof(chunks, fc.array(fc.string(), { maxLength: 5 })), (some) => {
        expect(unspaced(textsOf(rowsOfChunks(some)))).toBe(unspaced(some));
      }),
      { numRuns: 500 },
    );
  });

  test("a recovery names the calls that the restarted agent ran again", () => {
    const call = (id: string) => [
      [6, f.tool(id, "make", { command: "make" })] as const,
      [5, f.gave(id, "made")] as const,
    ];
    const events = (rung: Rung) =>
      f.journal(asked, started, ...call("t1"), [5, recovered(rung)], ...call("t2"));
    const splice = (rung: Rung) => rowsFrom(events(rung)).find(({ kind }) => kind === "splice");
    expect(splice("native")).toMatchObject({ again: [{ toolCallId: "t2", firstCallId: "t1" }] });
    expect(splice("adopted")).toMatchObject({ again: [] });
  });

  test("a recovery in the middle of code stands after the code, before the later text, and says so", () => {
    const told = (after: string) =>
      rowsFrom(
        f.journal(
          ...[asked, started, [7, f.said("First.\n\n```\none\n")] as const],
          ...[[6, recovered("adopted")] as const, [5, f.said(after)] as const],
        ),
      );
    const rows = told("two\n```\n\nThird.");
    expect(kinds(rows)).toEqual(["prompt", "text", "splice", "text", "generating"]);
    expect(rows[2]).toMatchObject({ inside: "code" });
    expect(rows[3]).toMatchObject({ text: expect.stringMatching(/^\s*Third\.$/) });
    const growing = told("two");
    expect(kinds(growing)).toEqual(["prompt", "text", "splice", "generating"]);
    expect(growing[2]).toMatchObject({ inside: "code" });
  });

  test("shows no streaming while the host is unreachable", () => {
    const events = f.journal(asked, started, [7, f.said("I begin")]);
    const rows = rowsFrom(events, { isHeard: false });
    expect(rows.at(-1)).toMatchObject({ kind: "generating", isHeard: false, line: "held" });
    expect(rows[1]).toMatchObject({ isStreaming: false });
  });

  test("[R003-57] says that it is paused, on a sleeping line, and keeps its text", () => {
    const run = f.runOf({ status: "paused", isPaused: true, pausedReason: "waiting" });
    const rows = rowsFrom(f.journal(asked, started, [7, f.said("I begin")]), { run });
    expect(kinds(rows)).toEqual(["prompt", "text", "paused"]);
    expect(rows.at(-1)).toMatchObject({ line: "asleep", reason: "waiting" });
  });

  test.each([
    ["run.failed", { error: { code: "x", message: "broke" } }, "error"],
    ["run.cancelled", { reason: "asked" }, "cancelled"],
    ["run.completed", { stopReason: "end" }, "completed"],
  ] as const)(
    "[R003-58, R003-59, R003-60] keeps partial text when it ends by %s",
    (kind, more, status) => {
      const end = { kind, runId: f.RUN, ...more } as Parameters<typeof f.journal>[0][1];
      const rows = rowsFrom(f.journal(asked, started, [7, f.said("Half of")], [6, end]));
      expect(kinds(rows)).toEqual(["prompt", "text", "end"]);
      expect(rows[2]).toMatchObject({ message: { status }, edge: "last", line: "held" });
    },
  );

  test("shows a plan once, at its first position, in its latest version", () => {
    const rows = rowsFrom(
      f.journal(asked, started, [7, f.plan(0)], [6, f.said("a")], [5, f.plan(2)]),
    );
    expect(kinds(rows)).toEqual(["prompt", "plan", "text", "generating"]);
    expect(rows[1]).toMatchObject({
      steps: [{ state: "done" }, { state: "done" }, { state: "now" }],
    });
  });

  test("puts a change into the call that made it, the last one of each file", () => {
    const tool = f.tool("t", "Edit", { path: "a.ts" });
    const rows = rowsFrom(f.journal(asked, started, [7, tool], [6, f.diff("t")], [5, f.diff("t")]));
    expect(kinds(rows)).toEqual(["prompt", "tool", "generating"]);
    expect(rows[1]).toMatchObject({ diffs: [{ path: "src/auth/token.ts" }] });
  });

  test("cuts the line where a run was interrupted, and starts it again at the splice", () => {
    const events = f.journal(
      asked,
      started,
      [7, f.said("Half")],
      [6, cut],
      [5, recovered("native")],
      [4, f.started(1, f.RUN)],
    );
    const rows = rowsFrom(events, { run: null });
    expect(kinds(rows)).toEqual(["prompt", "text", "end", "splice"]);
    expect(rows.map(({ edge }) => edge)).toEqual(["first", undefined, "last", "first"]);
  });

  test("places a splice where the answer was recovered, after the paragraph that continues", () => {
    const events = f.journal(
      asked,
      started,
      [7, f.said("Ha")],
      [6, recovered("adopted")],
      [5, f.said("lf")],
      [4, f.tool("t", "Read", {})],
      [3, recovered("adopted")],
      [2, f.gave("t", "x")],
    );
    const rows = rowsFrom(events);
    expect(kinds(rows)).toEqual(["prompt", "text", "splice", "tool", "splice", "generating"]);
    expect(rows[1]).toMatchObject({ text: "Half" });
  });

  test("places a splice before the answer's end when the recovery came first", () => {
    const rows = rowsFrom(
      f.journal(asked, started, [7, f.said("a")], [6, recovered("adopted")], [5, f.done]),
      { run: null },
    );
    expect(kinds(rows)).toEqual(["prompt", "text", "splice", "end"]);
  });

  test("shows no splice of messages that are not loaded", () => {
    const events = f.journal(asked, started, [7, recovered("native")], [6, f.asked("More.", 1)]);
    const messages = f.messagesOf(events).slice(-1);
    expect(kinds(rowsFrom(events, { messages, earlier: 2 }))).toEqual(["earlier", "prompt"]);
  });

  test("places the band of an absence before the first unseen row", () => {
    const events = f.journal(
      asked,
      started,
      [7, f.said("a")],
      [6, f.tool("t", "Read", {})],
      [5, f.said("b")],
      [4, f.said("c")],
      [3, f.done],
    );
    const bandAt = (seq: number) => kinds(rowsFrom(events, { away: { ...kept, seq } }));
    expect(bandAt(4)).toEqual(["prompt", "text", "away", "tool", "text", "end"]);
    expect(bandAt(6)).toEqual(["prompt", "text", "tool", "away", "text", "end"]);
    expect(bandAt(7)).toEqual(["prompt", "text", "tool", "text", "away", "end"]);
  });

  test("shows the duration of a call whose start and end are known", () => {
    const events = f.journal(
      asked,
      started,
      [7, f.tool("a", "Read", {})],
      [5, f.gave("a", "x")],
      [4, f.tool("b", "Run", {})],
      [1, f.gave("b", "", "unknown")],
      [0, f.tool("c", "Run", {})],
    );
    const rows = rowsFrom(events).filter((row) => row.kind === "tool");
    expect(rows.map(({ ms }) => ms)).toEqual([2000, undefined, undefined]);
  });

  test("shows no duration for a call that waited for an answer or was very short", () => {
    const { id, toolName, toolInput, digest } = f.approval();
    const question: EventBody = {
      kind: "approval.requested",
      runId: f.RUN,
      attempt: 1,
      approvalId: id,
      toolCallId: "a",
      toolName,
      input: toolInput,
      digest,
      askedBy: null,
    };
    const events = f.journal(
      asked,
      started,
      [70, f.tool("a", "Run", {})],
      [69, question],
      [9, f.gave("a", "x")],
      [8, f.tool("b", "Read", {})],
      [7.95, f.gave("b", "x")],
    );
    const rows = rowsFrom(events).filter((row) => row.kind === "tool");
    expect(rows.map(({ ms }) => ms)).toEqual([undefined, undefined]);
  });

  test("offers no action on an ended run when the session has ended", () => {
    const error = { code: "x", message: "broke" };
    const failure: EventBody = { kind: "run.failed", runId: f.RUN, error };
    const events = f.journal(asked, started, [7, failure]);
    const { messages } = transcriptOf(events);
    expect(rowsFrom(events, { messages }).at(-1)).toMatchObject({ canGoOn: true });
    const over = rowsFrom(events, { messages, isEnded: true }).at(-1);
    expect(over).toMatchObject({ kind: "end", canGoOn: false });
  });

  test("finds the row for a seq of the journal", () => {
    const events = f.journal(
      asked,
      started,
      [7, f.said("a")],
      [6, f.done],
      [5, f.asked("More.", 1)],
    );
    const rows = rowsFrom(events);
    expect([0, 1, 3, 5, 99].map((seq) => rowAt(rows, seq))).toEqual([0, 0, 1, 3, 3]);
  });

  test("says at the end of the latest run whether it can go on, and whether it was dismissed", () => {
    const events = f.journal(asked, started, [7, f.said("a")], [6, cut]);
    const end = (change: Partial<Story>) => rowsFrom(events, change).at(-1);
    expect(end({})).toMatchObject({ kind: "end", canGoOn: true, isDismissed: false });
    expect(end({ isDismissed: true })).toMatchObject({ canGoOn: true, isDismissed: true });
    expect(end({ isDismissed: true, isEnded: true })).toMatchObject({ canGoOn: false });
    expect(end({ run: null })).toMatchObject({ canGoOn: false });
  });

  test("keeps the rows of messages that did not change", () => {
    const events = f.journal(
      asked,
      started,
      [7, f.said("a")],
      [6, f.done],
      [5, f.asked("More.", 1)],
    );
    const messages = f.messagesOf(events);
    const now = { isHeard: true, isEnded: false, isDismissed: false };
    const story = { messages, earlier: 0, run: null, receipts: [], away: null, ...now };
    expect(rowsOf(story)[1]).toBe(rowsOf({ ...story, messages: [...messages] })[1]);
  });
});
