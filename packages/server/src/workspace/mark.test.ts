import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { markOf } from "./mark.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-mark-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a folder without git is marked by its files, and has no mark when it holds too many folders", async () => {
  mkdirSync(join(root, "work", "sub"), { recursive: true });
  const look = { root: join(root, "work"), scratch: root, upTo: null };
  writeFileSync(join(look.root, "sub", "a.txt"), "one");
  const before = await markOf(look);
  expect(before?.files.map(([path]) => path)).toEqual(["sub/a.txt"]);
  writeFileSync(join(look.root, "sub", "a.txt"), "longer");
  expect((await markOf(look))?.digest).not.toBe(before?.digest);
  for (const name of ["b", "c"]) mkdirSync(join(look.root, name));
  expect(await markOf(look, 4)).not.toBeNull();
  expect(await markOf(look, 3)).toBeNull();
});
