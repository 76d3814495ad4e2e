import type { AgentCheckView } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { boundaryLines, loginLines, restartLines, versionWords } from "./check.ts";

const check: AgentCheckView = {
  name: "codex",
  command: ["codex-acp"],
  version: "0.49.0",
  protocolVersion: 1,
  startMs: 1,
  newMs: 1,
  can: [],
  modes: [],
  logins: [],
  unwritable: [],
  unknownSession: null,
  problem: null,
};

test("a release that was not tested is said to be one", () => {
  expect(versionWords({ ...check, tested: "0.99.0" })).toBe(
    "0.49.0 ! Holdfast was tested with 0.99.0, not with this version",
  );
  expect(versionWords({ ...check, tested: "0.49.0" })).toBe("0.49.0");
  expect(versionWords(check)).toBe("0.49.0");
});

test("a login that was not found is told, with what to do", () => {
  const login = {
    found: false,
    how: "run codex login",
    looked: ["OPENAI_API_KEY", "/h/auth.json"],
  };
  expect(loginLines({ ...check, login })).toEqual([
    "! none found (looked for OPENAI_API_KEY, /h/auth.json)",
    "run codex login",
  ]);
  expect(loginLines({ ...check, login: { ...login, found: true } })).toEqual(["✓ found"]);
  expect(loginLines(check)).toEqual([]);
});

test("the way back to the agent's memory is said in a sentence, without words of the protocol", () => {
  const loads = { ...check, can: ["load", "fork"], unknownSession: "refused (-32002)" };
  const told = "Holdfast tells it the conversation";
  expect(restartLines(loads, { resume: "native", history: "fallback" })).toEqual([
    `it loads its own saved session; if that fails, ${told}`,
  ]);
  expect(restartLines({ ...loads, unknownSession: "taken" }).at(-1)).toContain("does not exist");
  expect(restartLines(loads, { resume: "native", history: "inject" })).toEqual([told]);
  expect(restartLines(check)).toEqual([told]);
  expect(restartLines(check, { resume: "none", history: "never" })).toEqual(["it starts fresh"]);
});

test("that nothing stands between the agent and the machine is said, and what may outlive it", () => {
  const open = { ...check, isolation: "none" };
  expect(boundaryLines({ ...open, survivorsEnd: true })).toEqual([
    expect.stringContaining("can read and change everything you can"),
  ]);
  expect(boundaryLines({ ...open, survivorsEnd: false }).at(-1)).toContain("may outlive it");
});
