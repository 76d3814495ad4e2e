import { expect, test } from "vitest";
import * as f from "../gallery/fixtures.ts";
import { whyOf } from "./decision-of.ts";

test("the reason for a question is what the agent said just before it", () => {
  const events = f.journal(
    [9, f.asked("Go")],
    [8, f.started()],
    [7, f.said("First I read.\n\nThe tests pass, so I publish.\n")],
    [6, f.tool("t1", "Run", {})],
    [5, f.said("Afterwards.")],
  );
  const answer = f.messagesOf(events).at(-1);
  expect(whyOf(answer, "t1")).toBe("The tests pass, so I publish.");
  expect(whyOf(answer, "unknown")).toBe("Afterwards.");
  expect(whyOf(undefined, "t1")).toBe("");
});
