import { expect, test } from "vitest";
import { queueWords } from "./queue.ts";

test("queued messages say what they wait for, and that a new message goes before a parked queue", () => {
  expect(queueWords(100, true)).toBe("100 messages wait for the run to end");
  expect(queueWords(2, false)).toBe(
    "2 messages wait until you send them or the next run ends. A new message goes first.",
  );
  expect(queueWords(1, false)).toBe(
    "1 message waits until you send it or the next run ends. A new message goes first.",
  );
});
