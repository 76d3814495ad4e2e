import type { ToolPart } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { delegatedState } from "./delegation.ts";

const call: ToolPart = {
  type: "tool",
  toolCallId: "t1",
  name: "Task",
  input: "mend it",
  status: "unknown",
  output: "half way",
  startedAt: null,
  endedAt: null,
  seq: 1,
  delegates: true,
};

test("only a delegation that is still open is told", () => {
  expect(delegatedState([call])).toBe("It was asked: mend it\nIt had said: half way");
  expect(delegatedState([{ ...call, status: "completed" }])).toBeNull();
  const { delegates: _, ...own } = call;
  expect(delegatedState([own])).toBeNull();
});
