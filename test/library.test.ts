import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "holdfast-example-"));

afterAll(() => rmSync(folder, { recursive: true }));

test("the README's library example runs to the end of its run", () => {
  const [, code = ""] = /^## As a library\n[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(
    readFileSync(join(root, "README.md"), "utf8"),
  ) as RegExpExecArray;
  const script = join(folder, "script.ts");
  writeFileSync(script, code.replace("/tmp/holdfast-try", join(folder, "data")));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const name of ["node_modules", "packages"])
    symlinkSync(join(root, name), join(folder, name));
  const flags = ["--conditions=holdfast-source", script];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(
    /^1 session\.created\n[\s\S]* approval\.decided\n[\s\S]* run\.completed\n$/,
  );
});
