import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { workPlace } from "./work-place.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-place-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "file"), "");

const given = { agent: "codex", workspace: undefined, scratch: false, isLocal: true, cwd: folder };

test("a real agent works where it is started, the demo in a folder of its own", () => {
  expect(workPlace(given)).toBe(folder);
  expect(workPlace({ ...given, agent: "demo" })).toBeNull();
  expect(workPlace({ ...given, agent: "demo", workspace: "." })).toBe(folder);
  expect(workPlace({ ...given, scratch: true })).toBeNull();
});

test.each([
  ["a folder that is not there", { workspace: "nope" }, `There is no folder ${folder}/nope.`],
  ["a path through a file", { workspace: "file/x" }, `There is no folder ${folder}/file/x.`],
  ["a file", { workspace: "file" }, `${folder}/file is a file.`],
  ["nothing", { workspace: "" }, "--workspace needs a folder."],
  ["two places", { workspace: ".", scratch: true }, "not both"],
  ["the home directory, by being there", { cwd: homedir() }, "your home directory"],
  ["the root, by being there", { cwd: "/" }, "the whole machine"],
  ["this folder on another machine", { isLocal: false }, "name a folder there"],
  ["a relative path on another machine", { isLocal: false, workspace: "x" }, "an absolute path"],
])("%s is refused with what to do", (_, change, words) => {
  expect(() => workPlace({ ...given, ...change })).toThrow(words);
});

test("a folder that is named explicitly is used, even the home directory", () => {
  expect(workPlace({ ...given, workspace: homedir() })).toBe(homedir());
  expect(workPlace({ ...given, isLocal: false, workspace: "/srv/app" })).toBe("/srv/app");
});
