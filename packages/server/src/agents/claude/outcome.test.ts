import { expect, test } from "vitest";
import { errorOf } from "../acp/acp.ts";
import { brokenOff, endOf } from "./outcome.ts";
import { done } from "./testing/says.ts";

test("a good end has its reason to stop, and counts what came from the cache as input", () => {
  expect(endOf(done)).toEqual({
    stopReason: "end_turn",
    usage: {
      inputTokens: 12,
      outputTokens: 6,
      totalTokens: 18,
      cachedReadTokens: 4,
      cachedWriteTokens: 5,
    },
  });
});

test.each([
  [{ ...done, stop_reason: "max_tokens" }, "max_tokens"],
  [{ ...done, stop_reason: "refusal" }, "refusal"],
  [{ ...done, stop_reason: "refusal", is_error: true, result: "API Error: flagged" }, "refusal"],
  [{ ...done, stop_reason: null, usage: null }, "end_turn"],
  [{ type: "result", subtype: "error_max_turns", is_error: true }, "max_turn_requests"],
])("%j stops with %s", (result, stopReason) => {
  expect(endOf(result)).toMatchObject({ stopReason });
});

test.each([
  [
    { result: "API Error: Overloaded", api_error_status: 529 },
    { status: 529, message: "API Error: Overloaded", code: "agent_error" },
  ],
  [
    { result: "Please run /login", api_error_status: 401 },
    { status: 401, message: "Please run /login", code: "auth_required" },
  ],
  [
    { subtype: "error_during_execution", errors: ["it", "broke", 7] },
    { message: "it\nbroke", code: "agent_error" },
  ],
  [
    { subtype: "error_new", errors: "?" },
    { message: "Claude gave no reason.", code: "agent_error" },
  ],
])("the host reads %j as %j", (result, read) => {
  const said = endOf({ ...done, is_error: true, ...result });
  expect(said).toBeInstanceOf(Error);
  expect(
    errorOf(JSON.parse(JSON.stringify((said as { toErrorResponse(): object }).toErrorResponse()))),
  ).toEqual(read);
});

test("a failed query reports the stderr of its process", () => {
  expect(brokenOff(new Error("exited with code 1"), "no such option").message).toBe(
    "exited with code 1: no such option",
  );
  expect(brokenOff("gone", "").message).toBe("gone");
});

test.each([null, 3, {}, { type: "assistant" }])("%j does not end a turn", (said) => {
  expect(endOf(said)).toBeNull();
});
