import { describe, expect, test } from "vitest";
import type { Frame } from "../../holder/spool/frames.ts";
import { Replay } from "./replay.ts";

function replayed(...updates: object[]): Replay {
  const replay = new Replay();
  take(replay, ...updates);
  return replay;
}

function take(replay: Replay, ...updates: object[]): void {
  updates.forEach((update, i) => {
    const line = { method: "session/update", params: { update } };
    replay.take({ n: i + 1, k: "line", line } as unknown as Frame);
  });
}

const chunk = (who: "user" | "agent", text: string) => ({
  sessionUpdate: `${who}_message_chunk`,
  content: { type: "text", text },
});
const call = (toolCallId: string, more: object = {}) => ({
  sessionUpdate: "tool_call",
  toolCallId,
  title: "List",
  ...more,
});
const update = (toolCallId: string, more: object = {}) => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  ...more,
});
const content = (text: string) => [{ type: "content", content: { type: "text", text } }];

describe("a replay", () => {
  test("is text and calls in order; consecutive chunks are joined", () => {
    const { entries } = replayed(
      ...[chunk("user", "List"), chunk("user", " it"), call("t1"), chunk("agent", "a")],
      ...[chunk("agent", "b"), chunk("user", "Next")],
    );
    expect(entries).toMatchObject([
      { type: "user", text: "List it" },
      { type: "tool", toolCallId: "t1" },
      { type: "agent", text: "ab" },
      { type: "user", text: "Next" },
    ]);
  });

  test("keeps the name, input, output and end of a call, in whatever order they come", () => {
    const { entries } = replayed(
      call("t1", { rawInput: {} }),
      call("t2"),
      update("t1", { rawInput: { command: "ls" } }),
      update("t1", { status: "completed", content: content("a b") }),
      update("t3", { title: "Late", status: "failed", rawOutput: "no" }),
    );
    expect(entries).toEqual([
      {
        type: "tool",
        toolCallId: "t1",
        name: "List",
        input: { command: "ls" },
        status: "completed",
        output: "a b",
      },
      {
        type: "tool",
        toolCallId: "t2",
        name: "List",
        input: {},
        status: "unknown",
        output: "",
      },
      {
        type: "tool",
        toolCallId: "t3",
        name: "Late",
        input: {},
        status: "failed",
        output: "no",
      },
    ]);
  });

  test("is bounded in every part, and huge ones are still known by their ids", () => {
    const replay = new Replay();
    for (let n = 0; n < 5000; n++) {
      const huge = { rawInput: { text: "x".repeat(50_000) }, content: content("y".repeat(50_000)) };
      take(replay, call(`t${n}`, { ...huge, status: "completed" }));
    }
    const sizes = replay.entries.map((entry) => JSON.stringify(entry).length);
    expect(sizes).toHaveLength(5000);
    expect(Math.max(...sizes)).toBeLessThan(20_000);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(80 * 1024 * 1024);
    expect(replay.entries.at(-1)).toMatchObject({ toolCallId: "t4999", output: "" });
  });

  test("drops the agent's oldest words first, and keeps the person's", () => {
    const replay = new Replay();
    for (let n = 0; n < 50; n++) {
      take(replay, chunk("user", `word ${n}`), chunk("agent", `${n % 10}`.repeat(1024 * 1024)));
    }
    const { entries } = replay;
    const said = entries.flatMap((entry) => (entry.type === "tool" ? [] : [entry.text.length]));
    expect(said.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect(entries.at(1)).toEqual({ type: "agent", text: "" });
    expect(said.at(-1)).toBe(1024 * 1024);
    expect(entries.filter(({ type }) => type === "user").at(-1)).toMatchObject({ text: "word 49" });
  });

  test("ignores updates of an unknown shape", () => {
    const { entries } = replayed(
      ...[{}, { sessionUpdate: "tool_call" }, { sessionUpdate: "user_message_chunk" }],
      ...[update("t1", { content: "x", rawInput: null }), { sessionUpdate: "plan", entries: [] }],
    );
    expect(entries).toMatchObject([{ toolCallId: "t1", output: "" }]);
  });

  test("of a failed load is cleared, and `more` resolves on new entries", async () => {
    const replay = replayed(chunk("user", "a"), call("t1"));
    replay.clear();
    expect(replay.entries).toEqual([]);
    const { more } = replay;
    take(replay, call("t1"));
    await more;
    expect(replay.entries).toMatchObject([{ toolCallId: "t1" }]);
  });
});
