import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
/** A folder with the clone's rules outside of it, where the linter need not read the whole clone. */
const folder = mkdtempSync(join(tmpdir(), "holdfast-lint-"));
const rules = { extends: [join(root, "biome.json")], vcs: { enabled: false } };
writeFileSync(join(folder, "biome.json"), JSON.stringify(rules));
symlinkSync(join(root, "scripts"), join(folder, "scripts"));
afterAll(() => rmSync(folder, { recursive: true }));

function lint(source: string) {
  writeFileSync(join(folder, "planted.ts"), source);
  const args = ["lint", "--error-on-warnings", "planted.ts"];
  const biome = join(root, "node_modules/.bin/biome");
  return spawnSync(biome, args, { cwd: folder, encoding: "utf8" });
}

test("lint refuses a spread around literal properties, and allows other spreads", () => {
  const refused = lint("export const both = { ...{ one: 1 }, two: 2 };\n");
  expect(refused.stderr).toContain("Write these properties without the spread");
  expect(refused.status).toBe(1);
  const allowed = lint("export const more = (a: object, b: object | null) => ({ ...a, ...b });\n");
  expect(allowed.status).toBe(0);
});

test("lint refuses an effect that returns the value of its expression", () => {
  const effect = (body: string) =>
    lint(`export const use = (act: () => void) => useEffect(${body}, [act]);\n`);
  const refused = effect("() => act()");
  expect(refused.stderr).toContain("Write this effect with braces");
  expect(refused.status).toBe(1);
  expect(effect("() => {\n  act();\n}").status).toBe(0);
});
