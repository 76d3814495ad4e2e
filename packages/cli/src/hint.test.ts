import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { shortNameHint } from "./hint.ts";

const home = mkdtempSync(join(tmpdir(), "holdfast-hint-"));
afterAll(() => rmSync(home, { recursive: true }));
const clone = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

test("the short name hint asks for setup first, then for the PATH, then is gone", () => {
  const local = join(home, ".local", "bin");
  const env = { HOME: home, PATH: "/nowhere" };
  expect(shortNameHint(env)).toContain("npm run setup");
  mkdirSync(local, { recursive: true });
  writeFileSync(join(local, "holdfast"), `#!/bin/sh\n# ours\nclone='${clone}'\n`);
  expect(shortNameHint(env)).toContain('export PATH="$HOME/.local/bin:$PATH"');
  expect(shortNameHint({ ...env, PATH: `/nowhere:${local}` })).toBeNull();
});
