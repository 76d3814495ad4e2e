import type { OwnOption } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { type Action, type Key, nothingTyped, press, type Typed } from "./keys.ts";

const letter = (text: string): Key => ({ text, name: text });
const key = (name: string, ctrl = false): Key => ({ name, ctrl, text: ctrl ? "\u0003" : "\r" });
const LONG = 10_000;

/** Presses all keys in order; returns the resulting actions and the remaining line. */
function type(
  keys: readonly Key[],
  shownFor: number | null = null,
  options: readonly OwnOption[] = [],
): [Action[], string] {
  let typed: Typed = nothingTyped;
  const actions: Action[] = [];
  for (const one of keys) {
    const asked = shownFor === null ? null : { id: "appr_1", shownForMs: shownFor, options };
    const pressed = press(typed, one, asked);
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
  ])("%s and then Enter answers an open question with %s", (text, decision) => {
    expect(type([letter(text)], LONG)).toEqual([[], text]);
    const both = [letter(text), key("return")];
    expect(type(both, LONG)).toEqual([[{ type: "answer", decision }], ""]);
    expect(type(both, null)).toEqual([[{ type: "send", text }], ""]);
  });

  test("choose one of the agent's own options by its number, and take no other yes", () => {
    const edit: OwnOption = { id: "e", name: "Yes, edit", decision: "allow", isOnce: false };
    const keep: OwnOption = { id: "k", name: "No, plan on", decision: "deny", isOnce: true };
    const both = (text: string) => type([letter(text), key("return")], LONG, [edit, keep])[0];
    expect(both("1")).toEqual([{ type: "answer", decision: "allow", option: edit }]);
    expect(both("2")).toEqual([{ type: "answer", decision: "deny", option: keep }]);
    expect(both("n")).toEqual([{ type: "answer", decision: "deny" }]);
    expect([both("y"), both("a")]).toEqual([[{ type: "unclear" }], [{ type: "unclear" }]]);
  });

  test("choose an option above 9, and never send a number as a message while options are open", () => {
    const options = Array.from({ length: 12 }, (_, i): OwnOption => {
      return { id: `o${i + 1}`, name: `Option ${i + 1}`, decision: "allow", isOnce: true };
    });
    const line = (text: string, shownFor = LONG) =>
      type([...letters(text), key("return")], shownFor, options);
    for (const [n, option] of options.entries()) {
      expect(line(String(n + 1))).toEqual([[{ type: "answer", decision: "allow", option }], ""]);
    }
    for (const text of ["13", "0", "01", "100"]) {
      expect(line(text)).toEqual([[{ type: "not_offered", numbers: "1–12" }], text]);
    }
    expect(line("10", 100)).toEqual([[{ type: "too_soon" }, { type: "unclear" }], "10"]);
    const paste = [key("paste-start"), ...letters("10"), key("paste-end"), key("return")];
    expect(type(paste, LONG, options)).toEqual([[{ type: "unclear" }], "10"]);
    expect(line("10 files")[0]).toEqual([{ type: "send", text: "10 files" }]);
    expect(type([...letters("10"), key("return")], LONG)[0]).toEqual([
      { type: "send", text: "10" },
    ]);
  });

  test.each(["actually no, wait", "yes", "no", "any", "nay", "y y", "constructor"])(
    "that make the sentence %s answer nothing, fast or slow",
    (text) => {
      for (const shownFor of [0, 499, LONG]) {
        const [actions, left] = type([...letters(text), key("return")], shownFor);
        expect(actions.filter((one) => one.type !== "too_soon")).toEqual([{ type: "send", text }]);
        expect(left).toBe("");
      }
    },
  );

  test.each(["escape", "backspace", "left", "tab"])("%s takes a choice back", (name) => {
    const other: Key = { name, text: "\u001b" };
    expect(type([letter("a"), other, key("return")], LONG)).toEqual([[], ""]);
  });

  test("left over from a longer line are not a choice", () => {
    const keys = [...letters("ya"), key("backspace"), key("return")];
    expect(type(keys, LONG)).toEqual([[{ type: "unclear" }], "y"]);
    const paste = [key("paste-start"), letter("y"), key("paste-end"), key("return")];
    expect(type(paste, LONG)).toEqual([[{ type: "unclear" }], "y"]);
    const chosen = [letter("y"), key("paste-start"), key("paste-end"), key("return")];
    expect(type(chosen, LONG)).toEqual([[{ type: "unclear" }], "y"]);
  });

  test("do not answer a question that has just appeared", () => {
    const [actions, left] = type([letter("y"), key("return")], 100);
    expect([actions, left]).toEqual([[{ type: "too_soon" }, { type: "unclear" }], "y"]);
  });

  test("answer the question they were pressed for, and no other", () => {
    const { typed } = press(nothingTyped, letter("y"), {
      id: "appr_1",
      shownForMs: LONG,
      options: [],
    });
    for (const asked of [null, { id: "appr_2", shownForMs: LONG, options: [] }]) {
      expect(press(typed, key("return"), asked)).toEqual({
        typed: nothingTyped,
        action: { type: "gone" },
      });
    }
  });

  test("in a line that was begun are letters, question or not", () => {
    expect(type(letters("say y"), LONG)).toEqual([[], "say y"]);
  });

  test("that are pasted are text: they neither answer nor send", () => {
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
