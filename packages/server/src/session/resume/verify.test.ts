import { describe, expect, test } from "vitest";
import type { Replayed } from "../../agents/replay.ts";
import { type Anchor, verify } from "./verify.ts";

const user = (text: string, seq = 1): Anchor => ({ type: "user", text, seq });
const tool = (toolCallId: string, seq = 2): Anchor => ({
  type: "tool",
  toolCallId,
  name: "Bash",
  seq,
});
const said = (text: string): Replayed => ({ type: "user", text });
const answered = (text: string): Replayed => ({ type: "agent", text });
const called = (toolCallId: string): Replayed => ({ type: "tool", toolCallId });

const journal = [user("List it"), tool("t1"), user("And now?", 3), tool("t2", 4)];
const whole = [said("List it"), called("t1"), answered("a"), said("And now?"), called("t2")];

describe("a replay that is held against the journal", () => {
  test("is verified when all is there, in order, whatever the agent puts around it", () => {
    expect(verify(journal, whole)).toEqual({ grade: "verified" });
    const wrapped = [
      said("<session_context> x </session_context>"),
      said("  List\n it "),
      ...whole.slice(1),
    ];
    expect(verify(journal, wrapped)).toEqual({ grade: "verified" });
  });

  test("is verified when two messages of the person have become one", () => {
    const joined = [said("List itAnd now?")];
    expect(verify([user("List it"), user("And now?", 3)], joined)).toEqual({ grade: "verified" });
    expect(verify([user("yes"), user("yes", 3)], [said("yes")])).toMatchObject({
      grade: "partial",
    });
  });

  test("is partial when something is missing, and names it, whether or not counts agree", () => {
    expect(verify(journal, whole.slice(0, 3))).toEqual({
      grade: "partial",
      missing: [journal[2], journal[3]],
    });
    const other = [...whole.slice(0, 4), called("t9")];
    expect(verify(journal, other)).toEqual({ grade: "partial", missing: [journal[3]] });
  });

  test("is partial when it is all there in another order", () => {
    expect(verify(journal, [called("t2"), ...whole.slice(0, 4)])).toMatchObject({
      grade: "partial",
    });
  });

  test("is lost when nothing of it is there: an empty one, or another conversation", () => {
    expect(verify(journal, [])).toEqual({ grade: "lost" });
    expect(verify(journal, [said("Hello"), called("t7")])).toEqual({ grade: "lost" });
  });

  test("of a session nobody has spoken in yet is verified", () => {
    expect(verify([], [])).toEqual({ grade: "verified" });
  });

  test("is ahead when calls or words lie behind the journal's last; the agent's own words do not count", () => {
    expect(verify(journal, [...whole, called("t3"), answered("b")])).toEqual({
      grade: "ahead",
      beyond: [called("t3")],
    });
    const own = [
      ...whole,
      said("<turn_aborted> x"),
      said("Continue from where you left off."),
      answered("b"),
    ];
    expect(verify(journal, own)).toEqual({ grade: "verified" });
  });
});
