import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { readConfigFile } from "./config-file.ts";

let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "holdfast-config-"));
});

afterEach(() => rmSync(data, { recursive: true }));

const write = (text: string) => writeFileSync(join(data, "config.json"), text);

test("without a file there is nothing to set", () => {
  expect(readConfigFile(data)).toEqual({});
});

test("a person's agents come after the known ones, in the host that is started", () => {
  write('{"agents":{"mine":{"command":["sh"]}}}');
  const { agents } = readConfig({ data }, { HOME: "/me", PATH: "/usr/bin:/bin" });
  expect(agents.at(0)?.name).toBe("demo");
  expect(agents.at(-1)).toMatchObject({ name: "mine", resume: "native" });
});

test.each([
  ["{", "JSON"],
  ["[]", "the file:"],
  ['{"agents":{"mine":{"command":["sh"],"resume":"maybe"}}}', "agents.mine.resume:"],
  ['{"agent":{}}', "agent"],
])("%s keeps the host from starting, and the place is named", (text, where) => {
  write(text);
  expect(() => readConfigFile(data)).toThrow(where);
  expect(() => readConfigFile(data)).toThrow(`${join(data, "config.json")} cannot be used: `);
});
