import type { Message, Part } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { withHistory } from "./history.ts";

const message = (role: Message["role"], ...contentParts: Part[]): Message => ({
  id: "msg_1",
  role,
  runId: "run_1",
  status: "completed",
  errorMessage: null,
  contentParts,
  createdAt: "2026-01-01T00:00:00.000Z",
  seq: 1,
  endSeq: 1,
  rewound: false,
});
const text = (words: string): Part => ({ type: "text", seq: 1, text: words });
const tool = (output: string): Part => ({
  type: "tool",
  toolCallId: "t1",
  name: "Bash",
  input: { command: "ls" },
  status: "completed",
  output,
  seq: 1,
  startedAt: null,
  endedAt: null,
});

describe("the history an agent is told", () => {
  test("has the words of the requirement, in order [R004-39]", () => {
    const told = withHistory(
      [message("user", text("List it")), message("assistant", text("I look."), tool("a b"))],
      "And now?",
    );
    expect(told).toBe(`RESUME CONTEXT FOR CONTINUING TASK

=== EXECUTION HISTORY ===

[USER]: List it

[ASSISTANT]: I look.

[TOOL CALL: Bash] {"command":"ls"}

[TOOL RESULT: Bash] a b

=== CURRENT REQUEST ===

And now?

=== INSTRUCTIONS ===

You are continuing work on the above task. The execution history shows what was done so far;
look at the workspace before you rely on it. Do not repeat work that was already completed.`);
  });

  test("ends with the latest plan, and no earlier one", () => {
    const plan = (...entries: { content: string; status: string }[]): Part => ({
      type: "other",
      seq: 1,
      part: { type: "plan", entries },
      recovered: false,
    });
    const told = withHistory(
      [
        message("assistant", plan({ content: "look", status: "in_progress" })),
        message(
          "assistant",
          plan({ content: "look", status: "completed" }, { content: "mend", status: "pending" }),
          text("Looked."),
        ),
      ],
      "Go on",
    );
    expect(told).toContain(
      "[ASSISTANT]: Looked.\n\n[ASSISTANT]: My plan stands so:\n- (completed) look\n- (pending) mend\n",
    );
    expect(told).not.toContain("in_progress");
  });

  test("cuts messages at 2000 characters and results at 500 [R004-40]", () => {
    const told = withHistory(
      [message("user", text("u".repeat(2001))), message("assistant", tool("r".repeat(501)))],
      "q".repeat(5000),
    );
    expect(told).toContain(`[USER]: ${"u".repeat(2000)}...`);
    expect(told).not.toContain("u".repeat(2001));
    expect(told).toContain(`[TOOL RESULT: Bash] ${"r".repeat(500)}...`);
    expect(told).not.toContain("r".repeat(501));
    expect(told).toContain("q".repeat(5000));
  });

  test("of a long session is its end, and says how much is left out", () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      message("user", text(`${n} ${"x".repeat(1990)}`)),
    );
    const told = withHistory(many, "Go on");
    expect(told.length).toBeLessThan(210_000);
    expect(told).toMatch(/\[\d+ earlier entries are left out\]/);
    expect(told).toContain("[USER]: 299 ");
    expect(told).not.toContain("[USER]: 0 ");
  });

  test("leaves out rewound messages, and marks answers that were cut off", () => {
    const cut = { ...message("assistant", text("I beg")), status: "interrupted" as const };
    const gone = { ...message("user", text("never mind")), rewound: true };
    const told = withHistory([gone, cut], "Go on");
    expect(told).not.toContain("never mind");
    expect(told).toContain("(this answer was cut off: interrupted)");
  });
});
