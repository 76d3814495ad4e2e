import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Inside the clone, because the linter's rules apply to its files. */
const folder = mkdtempSync(join(root, "test", "planted-"));
afterAll(() => rmSync(folder, { recursive: true }));

function lint(source: string) {
  const path = join(folder, "planted.ts");
  writeFileSync(path, source);
  const args = ["lint", "--error-on-warnings", path];
  return spawnSync(join(root, "node_modules/.bin/biome"), args, { cwd: root, encoding: "utf8" });
}

test("lint refuses a spread around literal properties, and allows other spreads", () => {
  const refused = lint("export const both = { ...{ one: 1 }, two: 2 };\n");
  expect(refused.stderr).toContain("Write these properties without the spread");
  expect(refused.status).toBe(1);
  const allowed = lint("export const more = (a: object, b: object | null) => ({ ...a, ...b });\n");
  expect(allowed.status).toBe(0);
});
