import { expect, test } from "vitest";
import { emptyState, type RuntimeState, type SessionState } from "../session.ts";
import { askerWords } from "./asker.ts";

const asker = { holderId: "hold_1", n: 3 };

function words(
  askedBy: typeof asker | null,
  holderId: string | null,
  runtime: RuntimeState["state"],
): string | null {
  const approvals = [{ id: "appr_1", askedBy }];
  const state = { run: { approvals }, runtime: { ...emptyState.runtime, holderId } };
  return askerWords(state as unknown as SessionState, "appr_1", runtime);
}

test("a question says what an answer does when the process that asked is gone", () => {
  expect(words(asker, null, "none")).toMatch(/^The agent stopped after it asked\. .* restarts/);
  expect(words(asker, "hold_2", "live")).toMatch(/^The agent was restarted after it asked\./);
  expect(words(asker, "hold_2", "starting")).toMatch(/^The agent was restarted/);
});

test("a question whose asking process is up, or may be, says nothing of it", () => {
  expect(words(asker, "hold_1", "live")).toBeNull();
  expect(words(asker, "hold_1", "frozen")).toBeNull();
  expect(words(asker, null, "unreachable")).toBeNull();
  expect(words(null, null, "live")).toBeNull();
});

test("a question of an agent inside the host process says nothing of it", () => {
  expect(words(null, null, "none")).toBeNull();
});
