import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Piece } from "../lines/render.ts";
import { plain, type Words } from "../output/words.ts";
import { Screen, type Terminal } from "./screen.ts";

interface Shown extends Terminal {
  readonly all: string[];
  readonly answers: () => string;
  /** The text on the input line; null when there is no input line. */
  line: string | null;
}

function shown(shared = true, columns = 40): Shown {
  const all: string[] = [];
  const terminal: Shown = {
    all,
    line: null,
    answers: () => all.flatMap((one) => (one.startsWith("out:") ? [one.slice(4)] : [])).join(""),
    async answer(text) {
      expect(terminal.line).toBeNull();
      all.push(`out:${text}`);
    },
    note(words: Words) {
      expect(terminal.line).toBeNull();
      all.push(`err:${plain(words)}`);
    },
    typed(words: Words) {
      terminal.line = plain(words) === "" ? null : plain(words);
    },
    shared,
    columns,
  };
  return terminal;
}

const answer = (text: string): Piece => ({ type: "answer", text });
const note = (words: string): Piece => ({ type: "note", words });

describe("a screen", () => {
  test("shows answers as they come, and begins a note on its own line", async () => {
    const terminal = shown();
    const screen = new Screen(terminal, () => "");
    await screen.show([
      answer("one "),
      answer("two"),
      note("three"),
      answer("four\n"),
      note("five"),
    ]);
    expect(terminal.all).toEqual([
      "out:│ one ",
      "out:two",
      "err:",
      "err:three",
      "out:│ four\n",
      "err:five",
    ]);
  });

  test("ends a line once, though it was ended early for a note", async () => {
    const terminal = shown();
    const screen = new Screen(terminal, () => "");
    await screen.show([answer("one"), note("two"), answer("\n"), note("three"), answer("\n")]);
    expect(terminal.all).toEqual(["out:│ one", "err:", "err:two", "err:three", "out:│\n"]);
  });

  test("adds no empty line when stdout is not the terminal", async () => {
    const terminal = shown(false);
    const screen = new Screen(terminal, () => "");
    await screen.show([answer("one"), note("two")]);
    expect(terminal.all).toEqual(["out:one", "err:two"]);
  });

  test("keeps what is typed below, and shows whole lines above it", async () => {
    const terminal = shown();
    const screen = new Screen(terminal, () => "");
    await screen.show([answer("one ")]);
    screen.type("hel");
    expect(terminal.line).toBe("› hel");
    await screen.show([answer("two\nthr")]);
    expect(terminal.line).toBe("› hel");
    await screen.show([answer("ee")]);
    screen.type("");
    expect(terminal.all).toEqual(["out:│ one ", "err:", "out:│ two\n", "out:│ three"]);
    expect(terminal.line).toBeNull();
  });

  test("shows the end of a line that is too long for one", () => {
    const terminal = shown(true, 20);
    const screen = new Screen(terminal, () => "");
    screen.type("漢字".repeat(20));
    expect(terminal.line).toMatch(/^› ….*字$/);
    expect(terminal.line?.length).toBeLessThan(14);
  });

  test("says beside a choice what Enter does, on one line", () => {
    const terminal = shown(true, 20);
    const screen = new Screen(terminal, () => "");
    screen.type("y", "allow once? Enter to confirm");
    expect(terminal.line).toBe("› y  allow once? …");
    screen.type("ye");
    expect(terminal.line).toBe("› ye");
  });

  test("works on a terminal without any columns", () => {
    const terminal = shown(true, 0);
    new Screen(terminal, () => "").type("abc");
    expect(terminal.line).toBe("› …");
  });

  test("puts a question with how it can be answered", async () => {
    const terminal = shown();
    const screen = new Screen(terminal, ({ approvalId }) => `answer ${approvalId}`);
    const question = {
      approvalId: "appr_1",
      runId: "run_1",
      toolCallId: "t1",
      name: "bash",
      digest: "",
      input: { command: "ls" },
    };
    screen.type("x");
    await screen.show([{ type: "question", question }]);
    expect(terminal.all).toEqual([
      "err:? needs you: Run a command",
      "err:    $ ls",
      "err:answer appr_1",
      "err:  finish your message first: Enter sends it, Esc clears it",
    ]);
  });

  test("neither loses nor repeats output, however typing and output mix", async () => {
    const step = fc.oneof(
      fc.constantFrom("a", "b\n", "c\nd", "\n").map((text) => ({ text })),
      fc.constantFrom("", "x", "xy").map((typed) => ({ typed })),
      fc.constant({ note: "n" }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step), fc.boolean(), async (steps, shared) => {
        const terminal = shown(shared);
        const screen = new Screen(terminal, () => "");
        for (const one of steps) {
          if ("text" in one) await screen.show([answer(one.text)]);
          else if ("typed" in one) screen.type(one.typed);
          else screen.note(one.note);
        }
        screen.type("");
        const words = steps.map((one) => ("text" in one ? one.text : "")).join("");
        // On a shared terminal a note may end a line early, and that line is not ended a second
        // time.
        const same = (text: string) => (shared ? text.replaceAll(/\n|│ ?/g, "") : text);
        expect(same(terminal.answers())).toBe(same(words));
        const notes = terminal.all.filter((one) => one === "err:n");
        expect(notes).toHaveLength(steps.filter((one) => "note" in one).length);
      }),
    );
  });
});
