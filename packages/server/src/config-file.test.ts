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

test("a missing file is an empty one", () => {
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
  expect(() => readConfigFile(data)).toThrow(`${join(data, "config.json")} is not valid: `);
});

test("sets the policy of sessions that set none of their own", () => {
  write('{"policy":{"onOpen":"read","approvalDeadline":60000}}');
  const { policy } = readConfig({ data }, { HOME: "/me", PATH: "/usr/bin:/bin" });
  expect(policy).toEqual({ onOpen: "read", approvalDeadline: 60_000 });
});

test("every mistake in the policy is named at once, with what would be right", () => {
  write('{"policy":{"onOpen":"always","sweep":1,"idlePause":"5 min"}}');
  const said = thrown(() => readConfigFile(data));
  expect(said).toContain("policy.onOpen: must be one of read, needed, revive");
  expect(said).toContain("policy.sweep: cannot be set. Settings that can be set: ");
  expect(said).toContain("policy.idlePause: must be a whole number of milliseconds");
  write('{"policy":{"sweep":1,"transientRetries":"two"}}');
  const names = thrown(() => readConfigFile(data));
  expect(names).not.toContain("..");
  expect(names).toContain("policy.transientRetries: must be a whole number. Correct it");
});

test("all mistakes are reported at once, of every kind", () => {
  const entries = {
    "my agent": { command: ["sh"] },
    nothing: {},
    odd: { like: "nobody", resume: "maybe" },
    laid: { like: "demo", home: "shared", definition: "/d" },
  };
  write(JSON.stringify({ agents: entries, agent: {} }));
  const said = thrown(() => readConfigFile(data));
  for (const words of [
    "agents.my agent: must consist of",
    "agents.nothing.command: is required",
    'agents.odd.like: there is no agent "nobody". Known: demo',
    "agents.odd.resume: ",
    'agents.laid: "home" cannot be combined with',
    'the file: Unrecognized key: "agent"',
  ]) {
    expect(said).toContain(words);
  }
});

test("of very many mistakes only the first are listed", () => {
  const entries = Array.from({ length: 50 }, (_, n) => [`agent-${n}`, {}]);
  write(JSON.stringify({ agents: Object.fromEntries(entries) }));
  expect(thrown(() => readConfigFile(data))).toMatch(/agent-19\.command: .*; and 30 more\./);
});

function thrown(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("this should have been refused");
}
