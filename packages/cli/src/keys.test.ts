import { describe, expect, test } from "vitest";
import { type Action, type Key, nothingTyped, press, type Typed } from "./keys.ts";

const letter = (text: string): Key => ({ text, name: text });
const key = (name: string, ctrl = false): Key => ({ name, ctrl, text: ctrl ? "\u0003" : "\r" });
const LONG = 10_000;

/** All keys in order; the actions they caused and the line that is left. */
function type(keys: readonly Key[], shownFor: number | null = null): [Action[], string] {
  let typed: Typed = nothingTyped;
  const actions: Action[] = [];
  for (const one of keys) {
    const pressed = press(typed, one, shownFor);
    typed = pressed.typed;
    if (pressed.action !== undefined) actions.push(pressed.action);
  }
  return [actions, typed.text];
}

const letters = (text: string) => Array.from(text, letter);

describe("keys", () => {
  test("type a line that Enter sends", () => {
    expect(type([...letters("yes, do é🙂"), key("return")])).toEqual([
      [{ type: "send", text: "yes, do é🙂" }],
      "",
    ]);
    expect(type([...letters("  "), key("return")])).toEqual([[], ""]);
  });

  test.each([
    ["y", "allow"],
    ["a", "allow_always"],
    ["n", "deny"],
  ])("%s answers an open question with %s", (text, decision) => {
    expect(type([letter(text)], LONG)).toEqual([[{ type: "answer", decision }], ""]);
    expect(type([letter(text)], null)).toEqual([[], text]);
  });

  test("do not answer a question that came up under the finger", () => {
    expect(type([letter("y")], 100)).toEqual([[{ type: "too_soon" }], ""]);
  });

  test("in a line that was begun are letters, question or not", () => {
    expect(type(letters("say y"), LONG)).toEqual([[], "say y"]);
  });

  test("that are pasted are text: nothing is answered and nothing sent", () => {
    const paste = [key("paste-start"), letter("y"), key("return"), letter("n"), key("paste-end")];
    expect(type(paste, LONG)).toEqual([[], "y\nn"]);
  });

  test("edit the line", () => {
    const up: Key = { text: "\u001b[A", name: "up" };
    expect(type([...letters("abé"), key("backspace"), up])).toEqual([[], "ab"]);
    expect(type([...letters("one two "), key("w", true)])).toEqual([[], "one "]);
    expect(type([...letters("one"), key("u", true)])).toEqual([[], ""]);
    expect(type([...letters("one"), key("escape")])).toEqual([[], ""]);
  });

  test("Ctrl-C leaves at any time, Ctrl-D when nothing is typed", () => {
    const left = { type: "leave", interrupted: true };
    expect(type([...letters("abc"), key("c", true)])[0]).toEqual([left]);
    expect(type([key("d", true)])[0]).toEqual([{ type: "leave", interrupted: false }]);
    expect(type([...letters("abc"), key("d", true)])).toEqual([[], "abc"]);
  });
});
