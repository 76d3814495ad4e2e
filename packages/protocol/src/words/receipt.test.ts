import { expect, test } from "vitest";
import { recoveryWords } from "./receipt.ts";

test("a recovery says what became of the work, and what is known of the agent's memory", () => {
  expect(recoveryWords("native", "verified", 310)).toBe(
    "Agent restarted from its own saved session in 310 ms. Memory verified.",
  );
  expect(recoveryWords("native", "partial", null)).toBe(
    "Agent restarted from its own saved session. Part of its memory was lost; it is told again.",
  );
  expect(recoveryWords("adopted", null, 52)).toBe(
    "Host restarted. The agent kept working; nothing was lost.",
  );
  expect(recoveryWords(null, "verified", null)).toBe("Agent recovered. Memory verified.");
});
