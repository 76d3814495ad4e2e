import { describe, expect, test } from "vitest";
import type { Entry, OfferedTool } from "./conversation.ts";
import { replyTo } from "./script.ts";

const properties = { path: { type: "string" }, content: { type: "string" } };
const tools: OfferedTool[] = [{ name: "create", schema: { properties } }];

const user = (text: string): Entry => ({ role: "user", text });
const model = (text: string): Entry => ({ role: "assistant", text });
const result: Entry = { role: "tool", toolResult: { id: "1", text: "[[text from a tool]]" } };

const reply = (...conversation: Entry[]) => replyTo({ conversation, tools });
const text = (words: string) => ({ kind: "says", parts: [{ text: words }] });

test("the last tagged message of the user decides, untagged ones after it do not", () => {
  const talk = [user("[[hang]]"), model("[[hang]]"), user("[[text now]]"), user("Go on.")];
  expect(reply(...talk)).toMatchObject({ ...text("now"), pace: "at once" });
});

test("the last tag of a message decides, because a prompt may contain the history", () => {
  expect(reply(user("You were asked: [[hang]]. Now: [[text now]]"))).toMatchObject(text("now"));
});

test("a tool result since the tag leads to the next step; an earlier one does not", () => {
  const tagged = user("[[tool-then-hang write /a]]");
  const call = { name: "create", input: { path: "/a", content: "written by the model\n" } };
  expect(reply(user("[[tool write /b]]"), result, tagged)).toMatchObject({
    parts: [{}, { call }],
    stop: "tool",
    pace: "at once",
  });
  expect(reply(tagged, result)).toMatchObject({ pace: "hangs", stop: "end" });
});

describe("a once-only tool", () => {
  const asked = user("[[once write /a]]");
  const input = { path: "/a" };
  const call: Entry = { role: "assistant", toolCall: { id: "1", name: "create", input } };

  test("runs, and the answer follows", () => {
    expect(reply(asked)).toMatchObject({ stop: "tool" });
    expect(reply(asked, call, result)).toMatchObject({ stop: "end", pace: "slow" });
  });

  test("does not run again when the conversation has its result, natively or in words", () => {
    expect(reply(asked, call, result, asked)).toMatchObject({ stop: "end", pace: "at once" });
    const history = '[TOOL CALL: create] {"path":"/a"}\n\n[TOOL RESULT: create] ok';
    const told = `=== EXECUTION HISTORY ===\n${history}\n=== CURRENT REQUEST ===\n[[once write /a]]`;
    expect(reply(user(told))).toMatchObject({ stop: "end" });
  });

  test("runs when it was only requested, or when another tool ran", () => {
    expect(reply(asked, call, asked)).toMatchObject({ stop: "tool" });
    expect(reply(user("[[once write /b]]"), call, result)).toMatchObject({ stop: "tool" });
  });
});

test("without tools a request is for a title, and gets one whatever the tag", () => {
  expect(replyTo({ conversation: [user("[[error 500]]")], tools: [] })).toMatchObject(
    text("A short title"),
  );
});

test("a slow reply has as many words as asked for", () => {
  expect(reply(user("[[slow 3]]"))).toMatchObject({
    ...text("word-1 word-2 word-3"),
    pace: "slow",
  });
});

test("a repeated slow reply comes at once", () => {
  expect(reply(user("[[slow 3]]"), user("Again: [[slow 3]]"))).toMatchObject({ pace: "at once" });
});

test.for([
  ["hello", "There was no tag."],
  ["[[dance]]", "There is no tag dance."],
  ["[[tool shell ls]]", "There is no tool for that."],
  ["[[tool fly away]]", "There is no tool for that."],
])("%s is answered with what is wrong", ([said = "", answer = ""]) => {
  expect(reply(user(said))).toMatchObject(text(answer));
});
