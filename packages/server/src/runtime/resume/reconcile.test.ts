import { expect, test } from "vitest";
import type { Carried } from "../../agents/agent.ts";
import { noFindings } from "../../workspace/workspace-findings.ts";
import { type Interrupted, reconciliation } from "./reconcile.ts";

const interrupted: Interrupted = {
  round: 3,
  found: {
    truth: { head: "abc", dirty: ["a.ts", "b.ts"], diffStat: "2 files changed" },
    short: [],
    lost: null,
  },
  partial: "I was about to",
  unknownCalls: [{ toolCallId: "t1", name: "Bash", input: {} }],
  doneCalls: [{ toolCallId: "t0", name: "Edit a.ts", input: { path: "a.ts" } }],
  carried: [{ toolCallId: "t2", toolName: "Write", decision: "allow", reason: null }],
  coderState: null,
  results: [],
  request: "Make it right",
};

test("says what was going on, in the words of the requirement [R000-44] [R000-45] [R000-46] [R000-48] [R000-49]", () => {
  const told = reconciliation(interrupted);
  expect(told.startsWith("[SESSION_RESUMED]\nThe session was interrupted during round 3.\n")).toBe(
    true,
  );
  expect(told).toContain(
    "Sandbox state at recovery:\nHEAD: abc\nDirty files: a.ts, b.ts\nDiff summary: 2 files changed\n",
  );
  expect(told).toContain(
    "The assistant's last partial response (may be incomplete):\n---\nI was about to\n---\n",
  );
  expect(told).toContain('do not run them again:\n- Edit a.ts (t0) {"path":"a.ts"}\n');
  expect(told).toContain("your call of Bash (t1) took effect is not known");
  expect(told).toContain("question about Write (call t2) was answered meanwhile: ALLOWED.");
  expect(told).toContain("The request you were working on:\n---\nMake it right\n---\n");
  expect(told).toMatch(/Do not repeat work that is already reflected in\nthe sandbox\.$/);
});

test("the reason of an answer that was given meanwhile is told with it", () => {
  const denied = { toolCallId: "t2", toolName: "Write", decision: "deny", reason: "wrong file" };
  const told = reconciliation({ ...interrupted, carried: [denied as Carried] });
  expect(told).toContain("was answered meanwhile: DENIED. The person's reason: wrong file\n");
});

test("a clean workspace is reported as clean, and an unknown state as not known [R000-46] [R000-47]", () => {
  const clean = { head: null, dirty: [], diffStat: "" };
  expect(reconciliation({ ...interrupted, found: { ...noFindings, truth: clean } })).toContain(
    "HEAD: none\nDirty files: clean\n",
  );
  expect(reconciliation({ ...interrupted, found: noFindings })).toContain(
    "Sandbox state at recovery: not known",
  );
  expect(reconciliation(interrupted)).not.toContain("Last known Coder state");
  const coder = reconciliation({ ...interrupted, coderState: "plan: 1 of 3" });
  expect(coder).toContain("Last known Coder state:\nplan: 1 of 3\n");
});

test("files that hold less than was written are named, with or without git", () => {
  const short = [
    { path: "a.txt", bytes: 0, wrote: 12, isTouched: false },
    { path: "b.txt", bytes: null, wrote: 3, isTouched: true },
    { path: "c.txt", bytes: 2, wrote: 3, isTouched: false },
  ];
  for (const truth of [null, interrupted.found.truth]) {
    const told = reconciliation({ ...interrupted, found: { truth, short, lost: null } });
    expect(told).toContain("a.txt is empty; the last edit wrote 12 bytes");
    expect(told).toMatch(/b\.txt is gone; .* and a later call may have changed it\./);
    expect(told).toContain("c.txt has 2 bytes");
  }
});

test("of many completed calls the latest are named, and long inputs are cut", () => {
  const doneCalls = Array.from({ length: 50 }, (_, n) => ({
    toolCallId: `t${n}`,
    name: "Write\na.ts",
    input: "x".repeat(1000),
  }));
  const told = reconciliation({ ...interrupted, doneCalls });
  expect(told).toContain("do not run them again:\n- 10 earlier ones\n- Write a.ts (t10) ");
  expect(told).toContain("(t49)");
  expect(told.length).toBeLessThan(12_000);
});

test("a lost folder is named, and no call is said to be done whose files are gone with it", () => {
  const doneCalls = [{ toolCallId: "t3", name: "Write", input: { path: "a.txt" } }];
  const cut = { ...interrupted, doneCalls };
  expect(reconciliation(cut)).toContain("What they did is done");
  const short = [{ path: "a.txt", bytes: null, wrote: 5, isTouched: false }];
  for (const lost of ["gone", "emptied"] as const) {
    const told = reconciliation({ ...cut, found: { ...noFindings, lost, short } });
    expect(told).toContain("Sandbox state at recovery: your folder ");
    expect(told).toContain("Nothing that you wrote there before is there now.");
    expect(told).toContain("What they wrote into your folder is gone with it:\n- Write (t3)");
    expect(told).not.toContain("What they did is done");
    expect(told).not.toContain("Less than you wrote");
  }
});
