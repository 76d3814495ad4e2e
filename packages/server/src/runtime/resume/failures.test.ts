import { expect, test } from "vitest";
import { failure, failureOf } from "./failures.ts";

test.each([
  [-32_002, "gone"],
  [-32_601, "gone"],
  [-32_602, "gone"],
  [-32_000, "login"],
  [-32_603, "unclear"],
  [500, "unclear"],
  ["-32002", "unclear"],
])("the error %s is %s", (code, kind) => {
  expect(failureOf({ code, message: "x" })).toBe(kind);
});

test("a value that is not an error is unclear", () => {
  for (const error of [undefined, null, "gone", 7, []]) expect(failureOf(error)).toBe("unclear");
});

test("a missing login is reported, and that the session is kept", () => {
  const refused = failure("would not start", { error: { code: -32_000, message: "Who?" } });
  expect(refused).toMatchObject({ code: "login_required", status: 409 });
  expect(refused.message).toMatch(/\(Who\?\).*Log in.*Nothing is lost/);
  const how = failure(
    "would not start",
    { error: { code: -32_000, message: "Who?" } },
    "run x login",
  );
  expect(how.message).toContain("(run x login)");
  const other = failure("would not start", { error: { code: -32_603, message: "Oh" } });
  expect(other).toMatchObject({ code: "launch_failed" });
  expect(other.message).toBe("The agent would not start: Oh");
});
