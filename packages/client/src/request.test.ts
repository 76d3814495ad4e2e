import { expect, test } from "vitest";
import { routeUrl } from "./request.ts";

const fileUrl = (path: string) => routeUrl("http://h", "readFile", { sessionId: "s", path });

test("a path keeps its slashes, and each of its names is told by its letters", () => {
  expect(fileUrl("src/a b#?%.ts")).toBe(
    "http://h/api/sessions/s/workspace/files/src/a%20b%23%3F%25.ts",
  );
});

test.each(["..", "a/../b", "a//b", "", "./a"])("no path leads to another route: %j", (path) => {
  expect(() => fileUrl(path)).toThrow(TypeError);
});
