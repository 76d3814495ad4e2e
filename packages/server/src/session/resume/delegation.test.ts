import type { ToolPart } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { delegatedState } from "./delegation.ts";

const call: ToolPart = {
  ...{ type: "tool", toolCallId: "t1", name: "Task", input: "mend it", status: "unknown" },
  ...{ output: "half way", startedAt: null, endedAt: null, seq: 1, delegates: true },
};

test("work is told as delegated only while the agent below is at work", () => {
  expect(delegatedState([call])).toBe("It was asked: mend it\nIt had said: half way");
  expect(delegatedState([{ ...call, status: "completed" }])).toBeNull();
  const { delegates: _, ...own } = call;
  expect(delegatedState([own])).toBeNull();
});
