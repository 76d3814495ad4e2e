import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { broughtAlong, Finder, isJavaScript } from "./find.ts";
import { programOf } from "./program.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-find-"));
});

afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string, mode = 0o644): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

function putPackage(dir: string, name: string, bin: unknown = {}): void {
  put(`${dir}/package.json`, JSON.stringify({ name, version: "1.2.3", bin }));
}

test("an executable is found on the PATH, in its order, or where an absolute path says", () => {
  const file = put("b/tool", "", 0o755);
  put("a/tool", "not executable");
  mkdirSync(join(root, "a/b"), { recursive: true });
  const finder = new Finder(`${root}/a:${root}/b:relative`);
  expect(finder.executable("tool")).toBe(file);
  expect(finder.executable(file)).toBe(file);
  expect(finder.executable("b")).toBeNull();
  expect(finder.executable("other")).toBeNull();
});

test("a package is found where npm puts global ones, and beside local commands", () => {
  putPackage("lib/node_modules/@a/one", "@a/one", { one: "dist/one.js" });
  putPackage("node_modules/two", "two", "two.js");
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  const finder = new Finder(`${root}/bin:${root}/node_modules/.bin`);
  const dir = join(root, "lib/node_modules/@a/one");
  expect(finder.package("@a/one")).toEqual({
    dir,
    version: "1.2.3",
    bins: { one: join(dir, "dist/one.js") },
  });
  expect(finder.package("two")?.bins).toEqual({ two: join(root, "node_modules/two/two.js") });
  expect(finder.package("three")).toBeNull();
});

test("a package of any other package manager is found by the link of its command", () => {
  const file = put("store/x/node_modules/@a/one/dist/one.js", "", 0o755);
  putPackage("store/x/node_modules/@a/one", "@a/one", { one: "dist/one.js" });
  mkdirSync(join(root, "bin"));
  symlinkSync(file, join(root, "bin/one"));
  const finder = new Finder(`${root}/bin`);
  expect(finder.package("@a/one", "one")?.bins.one).toBe(file);
  // A command of the same name from another package does not count.
  expect(finder.package("@b/one", "one")).toBeNull();
});

test("a dependency of a package is found inside it or beside it", () => {
  putPackage("lib/node_modules/@a/one", "@a/one");
  const beside = put("lib/node_modules/@a/one-native/bin/one", "", 0o755);
  const found = new Finder(`${root}/bin`).package("@a/one");
  if (found === null) throw new Error("not found");
  expect(broughtAlong(found, "@a/one-native/bin/one")).toBe(beside);
  const inside = put("lib/node_modules/@a/one/node_modules/@a/one-native/bin/one", "", 0o755);
  expect(broughtAlong(found, "@a/one-native/bin/one")).toBe(inside);
  expect(broughtAlong(found, "@a/other")).toBeNull();
});

test("a command is JavaScript by its name or its first line", () => {
  expect(isJavaScript(put("a.mjs", ""))).toBe(true);
  expect(isJavaScript(put("b", "#!/usr/bin/env node\n"))).toBe(true);
  expect(isJavaScript(put("c.exe", "\x7fELF node"))).toBe(false);
});

test("a command of a half-installed package is skipped", () => {
  putPackage("lib/node_modules/one", "one", { one: "bin/one" });
  const finder = new Finder(`${root}/bin`);
  expect(programOf({ ways: [{ npm: "one", bin: "one", args: [] }] }, finder)).toBeNull();
});

test("a broken package.json counts as missing", () => {
  put("lib/node_modules/one/package.json", "{");
  put("lib/node_modules/two/package.json", "null");
  const finder = new Finder(`${root}/bin`);
  expect(finder.package("one")).toBeNull();
  expect(finder.package("two")).toBeNull();
});
