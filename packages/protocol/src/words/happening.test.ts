import { describe, expect, it } from "vitest";
import type { EventBody, Json } from "../events.ts";
import { foldAll } from "../fold.ts";
import { attempt, journal, running, text } from "../testing/states.ts";
import { HAPPENING } from "../vocabulary.ts";
import { otherPartWords } from "./other-part.ts";

const call = { runId: "run_1", attempt: 1, toolCallId: "t1" };
const tool = (name: string, input: Json): EventBody => ({
  kind: "tool.started",
  ...call,
  name,
  input,
  gated: false,
});
const lastOf = (...bodies: EventBody[]) => foldAll(journal(...running, ...bodies)).run?.happening;
const said = (words: string) => ({ kind: "said", text: words });
const does = (words: string) => ({ kind: "does", text: words });

describe("the last that happened", () => {
  it("is a call with what it acts on, as soon as that is known", () => {
    const news = { kind: "tool.updated", ...call, output: "" } as const;
    const input = { path: "src/auth.ts" };
    expect(lastOf(tool("Edit", {}))).toEqual(does("Edit"));
    expect(lastOf(tool("Edit", {}), { ...news, input })).toEqual(does("Edit src/auth.ts"));
    const named = { ...news, name: "Edit src/auth.ts", input };
    expect(lastOf(tool("Edit", {}), named)).toEqual(does("Edit src/auth.ts"));
    expect(lastOf(tool("Edit", input), { ...news, output: "…" })).toEqual(does("Edit src/auth.ts"));
  });

  it("is how the last words began, in one line", () => {
    expect(lastOf(text("Now \n"), text("\n the"), text(" keys"))).toEqual(said("Now the keys"));
    expect(lastOf(text("a"), tool("Read", {}), text("b"))).toEqual(said("b"));
    expect(lastOf(text("a"), attempt(2), text("b", 2))).toEqual(said("b"));
    expect(lastOf(tool("Read", {}), text("\n"))).toEqual(does("Read"));
  });

  it("is small, however much is said or asked", () => {
    const long = lastOf(...Array.from({ length: 99 }, () => text("words ")));
    const huge = lastOf(tool("Run", { command: "\u{1F30A}".repeat(100_000) }));
    for (const { text: line } of [long, huge].map((one) => one ?? { text: "" })) {
      expect(line).toHaveLength(HAPPENING);
      expect(line.isWellFormed()).toBe(true);
      expect(line.endsWith("…")).toBe(true);
    }
  });

  it("is the beginning of a text too long for an event, and no other long part", () => {
    const long = (preview: string) => {
      const part = { type: "blob", preview, hash: "0", bytes: 300_000 };
      const added: EventBody = { kind: "part.added", runId: "run_1", attempt: 1, part };
      return foldAll(journal(...running, text("before"), added)).run?.happening;
    };
    const said = { type: "blob", preview: '{"type":"text","text":"Long' };
    expect(long(said.preview)).toEqual({ kind: "said", text: otherPartWords(said) });
    expect(long('{"type":"diff"')).toEqual({ kind: "said", text: "before" });
  });
});
