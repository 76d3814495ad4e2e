import { expect, test } from "vitest";
import { refusalWords } from "./refusal.ts";

test("a refusal names its field as a person knows it", () => {
  const said = (path: string, reason = "is empty") =>
    refusalWords({ message: `${path}: ${reason}`, field: { path, reason } });
  expect(said("body.title")).toBe("The title is empty.");
  expect(said("body.workspace.path", "must be absolute.")).toBe("The workspace must be absolute.");
  expect(said("query.limit", "must be a whole number")).toBe("limit must be a whole number.");
  expect(said("body.policy.onOpen")).toBe("policy onOpen is empty.");
  expect(said("body")).toBe("body is empty.");
});

test("a refusal without a field is its message", () => {
  expect(refusalWords({ message: "body.odd: is wrong" })).toBe("body.odd: is wrong");
  expect(refusalWords({ message: "It is late.", field: null })).toBe("It is late.");
});
