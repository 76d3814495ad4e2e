import { expect, test } from "vitest";
import { callStatus } from "../transcript/parts.ts";
import { STOP_REASON } from "../vocabulary.ts";
import { answerWords } from "./answer.ts";

test("an answer names its author and reason, and a stop only closes the question", () => {
  expect(answerWords({ decision: "deny", by: "Ada", reason: "too risky" })).toBe(
    "denied by Ada: too risky",
  );
  expect(answerWords({ decision: "allow", by: "Ada" })).toBe("allowed once by Ada");
  expect(answerWords({ decision: "deny", by: "Ada", reason: STOP_REASON })).toBe(
    "question closed because the run was stopped",
  );
});

test("an answer with the host's own token is by the host's owner, not by the host", () => {
  expect(answerWords({ decision: "allow", by: "host" })).toBe("allowed once by the host's owner");
});

test("a call that a stop denied is cancelled, not denied", () => {
  const call = (reason: string) =>
    callStatus({ status: "failed", approval: { id: "a", decision: "deny", by: "Ada", reason } });
  expect(call(STOP_REASON)).toBe("cancelled");
  expect(call("too risky")).toBe("denied");
});
