import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cycles, folderArrows } from "../scripts/imports/arrows.mjs";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** The product's sources: tests and their helpers may import from anywhere. */
function sourcesOf(name: string): [string, string][] {
  const src = join(packages, name, "src");
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|(^|\/)testing\//.test(path))
    .map((path) => [path, readFileSync(join(src, path), "utf8")]);
}

describe("the import arrows between folders", () => {
  test.each([
    ["server", 1],
    ["client", 1],
    ["web", 2],
  ])("of %s form no cycle, %i levels deep", (name, depth) => {
    expect(cycles(folderArrows(sourcesOf(name), depth))).toEqual([]);
  });

  test("count the levels that are asked for", () => {
    const planted: [string, string][] = [
      ["pages/list/pane.ts", 'import { now } from "../hooks/now.ts";'],
      ["pages/hooks/now.ts", 'import { pane } from "../list/pane.ts";'],
    ];
    expect(cycles(folderArrows(planted, 1))).toEqual([]);
    expect(cycles(folderArrows(planted, 2))).toEqual(["pages/hooks", "pages/list"]);
  });

  test("that form a cycle are found, through any number of folders", () => {
    const planted = folderArrows([
      ["agents/check.ts", 'import { inTime } from "../session/in-time.ts";'],
      ["session/runner.ts", 'import {\n  type Link,\n} from "../holder/link.ts";'],
      ["holder/link.ts", 'export { demo } from "../agents/demo.ts";'],
      ["http/door.ts", 'import { demo } from "../agents/demo.ts";'],
    ]);
    expect(cycles(planted)).toEqual(["agents", "holder", "session"]);
  });
});
