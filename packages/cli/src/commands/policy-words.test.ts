import { expect, test } from "vitest";
import { policyOf } from "./policy-words.ts";

test("--policy is names and values", () => {
  expect(policyOf(undefined)).toBeNull();
  expect(policyOf("idlePause=60000, sessionTtl=off,onOpen=read")).toEqual({
    idlePause: 60_000,
    sessionTtl: null,
    onOpen: "read",
  });
});

test.each(["", "idlePause", "idlePause=", "=1", "a=1,", "a b=1"])(
  "--policy %j is refused",
  (text) => {
    expect(() => policyOf(text)).toThrow("NAME=VALUE");
  },
);
