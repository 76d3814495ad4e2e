import { expect, test } from "vitest";
import { recoveryWords, withoutRepeatedRestarts } from "./receipt.ts";

test("a recovery says what became of the work, and what is known of the agent's memory", () => {
  expect(recoveryWords("native", "verified", 310)).toBe(
    "Agent restarted from its own saved session in 310 ms. Memory of finished work verified.",
  );
  expect(recoveryWords("native", "partial", null)).toBe(
    "Agent restarted from its own saved session. Part of its memory was lost; Holdfast tells it the missing part.",
  );
  expect(recoveryWords("adopted", null, 52)).toBe("Host restarted. Nothing was lost.");
  expect(recoveryWords(null, "verified", null)).toBe(
    "Agent recovered. Memory of finished work verified.",
  );
});

const restart = (seq: number, runId: string | null = null) =>
  ({ seq, runId, rung: "adopted", ms: 4, evidence: {} }) as const;

test("of several restarts of an idle session only the first is kept, until the next message", () => {
  const receipts = [restart(3), restart(5), restart(9), restart(11, "run_1"), restart(12)];
  const kept = withoutRepeatedRestarts(receipts, [{ seq: 1 }, { seq: 7 }]);
  expect(kept.map(({ seq }) => seq)).toEqual([3, 9, 11, 12]);
});
