import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Json, Output, Part } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "./acp-shape.ts";
import { KnownTools, knownInput, nameOf, toolLimits, toolOutput } from "./acp-tools.ts";

const said = (text: string): Json => ({ type: "content", content: { type: "text", text } });
const diff = (path: string, newText: string): Json => ({ type: "diff", path, newText });
const update = (tools: KnownTools, fields: JsonObject): Output[] =>
  toolOutput({ toolCallId: "call", ...fields }, tools);
const shows = (tools: KnownTools, ...content: Json[]): Output[] => update(tools, { content });
const kinds = (output: readonly Output[]): string[] => output.map(({ type }) => type);
const updated = (output: string): Output => ({ type: "tool_updated", toolCallId: "call", output });
const finished = (output: string): Output => ({
  type: "tool_finished",
  toolCallId: "call",
  status: "completed",
  output,
});
const running = (fields: Partial<Extract<Part, { type: "tool" }>> = {}): Part => ({
  type: "tool",
  toolCallId: "call",
  name: "Bash",
  input: {},
  status: "running",
  output: "",
  seq: 1,
  startedAt: null,
  endedAt: null,
  ...fields,
});

describe("a tool call", () => {
  it("starts once, adds what is new, and has one result", () => {
    const tools = new KnownTools();
    expect(kinds(update(tools, { title: "ls" }))).toEqual(["tool_started"]);
    expect(update(tools, { title: "ls" })).toEqual([]);
    expect(shows(tools, said("a"))).toEqual([updated("a")]);
    expect(shows(tools, said("ab"))).toEqual([updated("b")]);
    expect(shows(tools, said("ab"))).toEqual([]);
    expect(shows(tools, said("c"))).toEqual([updated("\nc")]);
    expect(update(tools, { status: "completed" })).toEqual([finished("c")]);
    expect(update(tools, { status: "completed" })).toEqual([]);
    expect(shows(tools, said("late"))).toEqual([]);
  });

  it("regains its own name instead of its title after an adoption, once the agent sends the name", () => {
    const tools = KnownTools.of([running({ name: "Bash ls" })]);
    const call = { toolCallId: "call", _meta: { claudeCode: { toolName: "Bash" } } };
    expect(nameOf(call, tools.get("call"))).toBe("Bash");
    expect(nameOf({ toolCallId: "call" }, tools.get("call"))).toBe("Bash ls");
    update(tools, call);
    expect(nameOf({ toolCallId: "call", kind: "execute" }, tools.get("call"))).toBe("Bash");
  });

  it("may be announced before its input is known", () => {
    const tools = new KnownTools();
    update(tools, { title: "Terminal", rawInput: {} });
    expect(update(tools, { title: "ls", rawInput: { command: "ls" } })).toEqual([
      { ...updated(""), name: "ls", input: { command: "ls" } },
    ]);
    expect(update(tools, { title: "ls", rawInput: { command: "ls" } })).toEqual([]);
    expect(update(tools, { rawInput: {} })).toEqual([]);
    expect(knownInput(tools.get("call"))).toEqual({ command: "ls" });
    expect(update(tools, { rawInput: { command: "ls -a" }, status: "completed" })).toEqual([
      { ...updated(""), input: { command: "ls -a" } },
      finished(""),
    ]);
  });

  it("adds to an output far longer than its kept beginning", () => {
    const tools = new KnownTools();
    const long = "x".repeat(1_000_000);
    shows(tools, said(long));
    expect(shows(tools, said(`${long}y`))).toEqual([updated("y")]);
    expect(shows(tools, said(`${long.slice(1)}zz`))).toEqual([updated(`\n${long.slice(1)}zz`)]);
  });

  it("ends with the beginning of its output if its result does not repeat the output", () => {
    const tools = new KnownTools();
    shows(tools, said("x".repeat(toolLimits.bytes + 5)));
    expect(update(tools, { status: "completed" })).toEqual([
      finished(`${"x".repeat(toolLimits.bytes)}\n… 5 more characters`),
    ]);
    const other = new KnownTools();
    shows(other, said("x".repeat(toolLimits.bytes + 5)));
    expect(update(other, { status: "completed", rawOutput: { all: 1 } })).toEqual([
      finished('{"all":1}'),
    ]);
  });

  it("shows a diff again only when it changed", () => {
    const tools = new KnownTools();
    expect(kinds(shows(tools, diff("a", "1")))).toEqual(["tool_started", "part"]);
    expect(shows(tools, diff("a", "1"))).toEqual([]);
    expect(shows(tools)).toEqual([]);
    expect(shows(tools, diff("a", "1"), diff("b", "1"))).toEqual([
      { type: "part", part: { type: "diff", path: "b", newText: "1", toolCallId: "call" } },
    ]);
    expect(kinds(shows(tools, diff("a", "2"), diff("b", "1")))).toEqual(["part"]);
    expect(kinds(shows(tools, diff("a", "1"), diff("b", "1")))).toEqual(["part"]);
  });

  it("may change one file in several places", () => {
    const tools = new KnownTools();
    const both = [diff("a", "1"), diff("a", "2")];
    expect(kinds(shows(tools, ...both))).toEqual(["tool_started", "part", "part"]);
    expect(shows(tools, ...both)).toEqual([]);
  });

  it("adds no more diffs at once than the journal takes, and says so once", () => {
    const tools = new KnownTools();
    const many = Array.from({ length: 5000 }, (_, i) => diff(`${i}`, "1"));
    const output = shows(tools, ...many);
    expect(output).toHaveLength(1 + toolLimits.diffs + 1);
    expect(output.at(-1)).toMatchObject({
      part: { type: "unreadable", reason: "4800 more diffs in one update" },
    });
    expect(shows(tools, ...many)).toEqual([]);
  });

  it("keeps calls apart whose ids are too long for the journal", () => {
    const tools = new KnownTools();
    const ids = ["a", "b"].map((end) => "x".repeat(600) + end);
    const started = ids.flatMap((toolCallId) => toolOutput({ toolCallId }, tools));
    expect(kinds(started)).toEqual(["tool_started", "tool_started"]);
    const [one, other] = started.map((item) => "toolCallId" in item && item.toolCallId);
    expect(one).not.toBe(other);
  });

  it("without an id is ignored", () => {
    for (const toolCallId of [null, "", 1, {}, []]) {
      expect(toolOutput({ toolCallId }, new KnownTools())).toEqual([]);
    }
  });
});

describe("an adopted call", () => {
  it("continues where the journal's text ends", () => {
    const tools = KnownTools.of([running({ output: "ab" })]);
    expect(shows(tools, said("abc"))).toEqual([updated("c")]);
    expect(shows(tools, said("new"))).toEqual([updated("\nnew")]);
  });

  it("adds no output to a possible preview until it finishes", () => {
    const tools = KnownTools.of([running({ output: "abc\n… 900 more characters" })]);
    expect(shows(tools, said("abcdef"))).toEqual([]);
    expect(shows(tools, said("abcdefg"))).toEqual([]);
    expect(update(tools, { status: "completed", content: [said("abcdefgh")] })).toEqual([
      finished("abcdefgh"),
    ]);
  });

  it("adds its first output whatever it is", () => {
    expect(shows(KnownTools.of([running()]), said("a"))).toEqual([updated("a")]);
  });

  it("that is finished stays finished", () => {
    expect(shows(KnownTools.of([running({ status: "failed" })]), said("a"))).toEqual([]);
  });

  it("does not show a diff again that the journal has", () => {
    const part = { type: "diff", path: "a", newText: "1", toolCallId: "call" };
    const tools = KnownTools.of([running(), { type: "other", seq: 2, part, recovered: false }]);
    expect(shows(tools, diff("a", "1"))).toEqual([]);
  });

  it("asks with its input, or with the hash of one that the journal has as a preview", () => {
    const input = { command: "ls" };
    expect(knownInput(KnownTools.of([running({ input })]).get("call"))).toEqual(input);
    const inputBlob = { hash: "ab", bytes: 99 };
    const cut = KnownTools.of([running({ input: '{"command', inputBlob })]);
    expect(knownInput(cut.get("call"))).toMatchObject({ type: "unreadable", sha256: "ab" });
  });
});

describe("the memory", () => {
  it.each([
    ["a megabyte of each", 1024 * 1024],
    ["as much as is kept of each", 60 * 1024],
  ])("of 600 open calls is bounded: %s", { timeout: 120_000 }, (_, size) => {
    const tools = new KnownTools();
    const before = heap();
    for (let i = 0; i < 600; i++) {
      const text = `${i}`.padEnd(size, "x");
      const call = { toolCallId: `${i}`, title: text, rawInput: { text }, content: [said(text)] };
      toolOutput(call, tools);
    }
    expect(heap() - before).toBeLessThan(10_000_000);
    expect(tools.get("599")).toBeDefined();
  });

  it("of many objects is bounded by their size as text", () => {
    const tools = new KnownTools();
    const before = heap();
    for (let i = 0; i < 300; i++) {
      const rawInput = Array.from({ length: 15_000 }, () => ({}));
      toolOutput({ toolCallId: `${i}`, rawInput }, tools);
    }
    expect(heap() - before).toBeLessThan(10_000_000);
    expect(tools.get("299")).toBeDefined();
  });

  it("holds the newest calls, open and finished", () => {
    const tools = new KnownTools();
    for (let i = 0; i < 600; i++) toolOutput({ toolCallId: `open ${i}` }, tools);
    for (let i = 0; i < 5000; i++) {
      toolOutput({ toolCallId: `over ${i}`, status: "failed" }, tools);
    }
    const isOpen = (i: number) => tools.get(`open ${i}`) !== undefined;
    expect([isOpen(600 - toolLimits.open - 1), isOpen(600 - toolLimits.open)]).toEqual([
      false,
      true,
    ]);
    const isOver = (i: number) => tools.isOver(`over ${i}`);
    expect([isOver(5000 - toolLimits.finished - 1), isOver(4999)]).toEqual([false, true]);
  });
});

/** Bytes in use after garbage collection; buffers are collected one pass after their owners. */
function heap(): number {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  for (let n = 0; n < 3; n++) gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
