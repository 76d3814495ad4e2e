import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cycles, folderArrows } from "../scripts/imports/arrows.mjs";
import { picture } from "../scripts/imports/picture.mjs";
import { sourcesOf } from "../scripts/imports/sources.mjs";

describe("the import arrows between folders", () => {
  const packages = ["server", "client", "cli", "protocol", "web"];
  test.each(packages)("of %s form no cycle at any level", (name) => {
    const sources = sourcesOf(name);
    expect(cycles(folderArrows(sources))).toEqual([]);
    expect(cycles(folderArrows(sources, Infinity))).toEqual([]);
  });

  test("are those in the picture of ARCHITECTURE.md; after a change run `npm run graph`", () => {
    const drawn = readFileSync(new URL("../docs/import-graph.svg", import.meta.url), "utf8");
    expect(drawn === picture()).toBe(true);
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
