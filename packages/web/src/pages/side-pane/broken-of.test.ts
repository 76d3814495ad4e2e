import type { Receipt } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { type BreakMade, brokenOf } from "./broken-of.ts";

const made = (change: Partial<BreakMade> = {}): BreakMade => ({
  what: "agent",
  afterSeq: 10,
  beforeSeq: null,
  backAfterMs: null,
  problem: null,
  ...change,
});
const receipt = (seq: number, ms: number): Receipt => ({
  seq,
  ts: "2026-01-01T00:00:00Z",
  receiptId: `r${seq}`,
  runId: null,
  rung: "native",
  ms,
  kept: [],
  lost: [],
  maybeTwice: [],
  evidence: {},
});

test("each break has the recovery that followed it, and no earlier or later one", () => {
  const receipts = [receipt(5, 50), receipt(12, 120), receipt(30, 300)];
  const words = (change: Partial<BreakMade>) => brokenOf(made(change), receipts).words;
  expect(words({})).toBe("Agent restarted from its own saved session in 120 ms.");
  expect(words({ afterSeq: 12 })).toBe("Agent restarted from its own saved session in 300 ms.");
  expect(words({ afterSeq: 12, beforeSeq: 20, backAfterMs: 2000 })).toBe("back after 2 s");
});

test("a break of this page's network has no receipt", () => {
  const cut = made({ what: "network", backAfterMs: 10_000 });
  expect(brokenOf(cut, [receipt(12, 120)])).toMatchObject({ is: "back", words: "back after 10 s" });
});

test("a break without recovery says what it waits for, and a refused one says why", () => {
  expect(brokenOf(made(), [])).toMatchObject({
    is: "away",
    words: expect.stringContaining("Resume"),
  });
  for (const what of ["agent", "holder"] as const) {
    expect(brokenOf(made({ what }), [], true)).toMatchObject({ words: "waiting for your answer" });
  }
  expect(brokenOf(made({ what: "host" }), [], true).words).toContain("the host");
  const problem = "The session has no agent to break now. Send it a message first.";
  expect(brokenOf(made({ problem }), [])).toMatchObject({ is: "refused", words: problem });
});
