import { expect, test } from "vitest";
import { routeUrl } from "./request.ts";

const fileUrl = (path: string) => routeUrl("http://h", "readFile", { sessionId: "s", path });

test("a path keeps its slashes, and each of its segments is encoded", () => {
  expect(fileUrl("src/a b#?%.ts")).toBe(
    "http://h/api/sessions/s/workspace/files/src/a%20b%23%3F%25.ts",
  );
});

test.each(["..", "a/../b", "a//b", "", "./a"])("a path leads to no other route: %j", (path) => {
  expect(() => fileUrl(path)).toThrow(TypeError);
});
