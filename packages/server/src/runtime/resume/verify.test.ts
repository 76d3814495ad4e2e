import { describe, expect, test } from "vitest";
import { answered, called, journal, said, tool, user } from "./testing/known.ts";
import { isWhole, verify } from "./verify.ts";

const anchors = [user("List it"), tool("t1"), user("And now?", 3), tool("t2", 4)];
const known = journal(anchors);
const whole = [said("List it"), called("t1"), answered("a"), said("And now?"), called("t2")];

describe("a replay that is held against the journal", () => {
  test("is verified when all is there, in order, whatever the agent puts around it", () => {
    expect(verify(known, whole)).toEqual({ grade: "verified" });
    const wrapped = [
      said("<session_context> x </session_context>"),
      said("  List\n it "),
      ...whole.slice(1),
    ];
    expect(verify(known, wrapped)).toEqual({ grade: "verified" });
  });

  test("is verified when two messages of the person have become one", () => {
    const joined = [said("List itAnd now?")];
    const two = journal([user("List it"), user("And now?", 3)]);
    expect(verify(two, joined)).toEqual({ grade: "verified" });
    const same = journal([user("yes"), user("yes", 3)]);
    expect(verify(same, [said("yes")])).toMatchObject({ grade: "partial" });
  });

  test("is partial when something is missing, and names it, whether or not counts agree", () => {
    expect(verify(known, whole.slice(0, 3))).toEqual({
      grade: "partial",
      missing: [anchors[2], anchors[3]],
    });
    const other = [...whole.slice(0, 4), called("t9")];
    expect(verify(known, other)).toEqual({ grade: "partial", missing: [anchors[3]] });
  });

  test("is partial when it is all there in another order", () => {
    expect(verify(known, [called("t2"), ...whole.slice(0, 4)])).toMatchObject({ grade: "partial" });
  });

  test("is lost when it has no entry of the journal: it is empty, or another conversation", () => {
    expect(verify(known, [])).toEqual({ grade: "lost" });
    expect(verify(known, [said("Hello"), called("t7")])).toEqual({ grade: "lost" });
  });

  test("of a session without messages is verified", () => {
    expect(verify(journal([]), [])).toEqual({ grade: "verified" });
  });

  test("is ahead when calls or words lie behind the journal's last", () => {
    expect(verify(known, [...whole, called("t3"), answered("b")])).toEqual({
      grade: "ahead",
      beyond: [called("t3"), answered("b")],
    });
  });

  test("of ten thousand turns is judged quickly, found or not", () => {
    const many = Array.from({ length: 10_000 }, (_, n) => user(`Message ${n} ${"x".repeat(200)}`));
    const replay = many.map((anchor) => said(anchor.type === "user" ? anchor.text : ""));
    const start = performance.now();
    expect(verify(journal(many), replay)).toEqual({ grade: "verified" });
    expect(verify(journal(many), replay.slice(0, 9_000))).toMatchObject({ grade: "partial" });
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

test("a missing answer makes the replay partial; spaces and warnings around answers do not count", () => {
  const answer = (text: string, from: number) => ({ type: "answer", text, from }) as const;
  const spoken = journal([...anchors, answer("There are two files.", 2), answer("None.", 4)]);
  const replay = [...whole, answered("There are\ntwo files. Warning: x"), answered("None.")];
  expect(verify(spoken, replay)).toEqual({ grade: "verified" });
  expect(verify(spoken, [...whole, answered("There are two files.")])).toEqual({
    grade: "partial",
    missing: [answer("None.", 4)],
  });
});

test("a replay is whole when the last words are there too, not at the last call", () => {
  const spoken = journal(anchors, { lastWords: "Two files." });
  expect(isWhole(spoken, whole)).toBe(false);
  expect(isWhole(spoken, [...whole, answered("Two")])).toBe(false);
  expect(isWhole(spoken, [...whole, answered("Two  files.\n")])).toBe(true);
  expect(isWhole(spoken, [answered("Two files.")])).toBe(false);
});
