import { ApiError, TransportError } from "@holdfast/client";
import { describe, expect, test } from "vitest";
import { policyOf, usualPolicy } from "./policy.ts";
import { pathProblem, problemField, problemWords } from "./problem.ts";
import { toolMark } from "./story.ts";

describe("a refusal of the host", () => {
  const field = { path: "body.workspace.path", reason: "must be absolute." };
  const refusal = new ApiError(400, "bad_input", `${field.path}: ${field.reason}`, field);

  test("names fields as the page does, not as the API does", () => {
    expect(problemWords(refusal)).toBe("The workspace must be absolute.");
    expect(problemWords(new Error("Note: it is late."))).toBe("Note: it is late.");
  });

  test("names the field that it is about", () => {
    expect(problemField(refusal)).toBe("body.workspace.path");
    expect(problemField(new TransportError("ECONNREFUSED"))).toBeNull();
  });

  test.each(["harbour", "./harbour", "~/harbour"])("a path such as %s is not absolute", (path) => {
    expect(pathProblem(path)).toContain("Not an absolute path");
  });

  test.each(["", "/home/ada/harbour"])("the page leaves checking %o to the host", (path) => {
    expect(pathProblem(path)).toBeNull();
  });

  test("differs from a host that did not answer", () => {
    expect(problemWords(new TransportError("ECONNREFUSED"))).toContain("did not answer");
  });
});

test("a policy has only the differences from the host's defaults", () => {
  expect(policyOf(usualPolicy)).toEqual({});
  expect(policyOf({ unwatched: "stop", idle: "hour" })).toEqual({
    unwatchedLimit: 1_800_000,
    unwatchedCancel: 1,
    idlePause: 3_600_000,
  });
});

describe("a call that asked", () => {
  const asked = (status: "running" | "failed" | "completed", decision: string | null) =>
    toolMark({ status, approval: { id: "a", decision } });

  test("is denied when a person denied it, whatever the agent reports", () => {
    expect(asked("failed", "deny")).toEqual({ word: "Denied", tone: "quiet" });
    expect(asked("completed", "deny")).toEqual({ word: "Denied", tone: "quiet" });
    expect(asked("failed", "allow")).toMatchObject({ word: "failed", tone: "lost" });
    expect(toolMark({ status: "failed" })).toMatchObject({ word: "failed", tone: "lost" });
  });

  test("asks until it is answered", () => {
    expect(asked("running", null)).toMatchObject({ word: "asks you" });
    expect(asked("running", "deny")).toMatchObject({ word: "running" });
    expect(asked("completed", "allow")).toMatchObject({ word: "" });
  });
});
