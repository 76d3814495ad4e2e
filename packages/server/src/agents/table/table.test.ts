import { describe, expect, test } from "vitest";
import type { AgentRow } from "./row.ts";
import { agentRows, demoRow } from "./rows.ts";
import { type AgentPlace, agentOf, agentView } from "./table.ts";

const place: AgentPlace = { workspace: "/work", state: "/state", home: null, mcpServers: [] };
const env = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/me",
  SECRET: "s",
  KEY: "k",
  NODE_OPTIONS: "x",
};

const row: AgentRow = {
  ...demoRow,
  name: "mine",
  title: "Mine",
  ways: [{ bin: "sh", args: ["-c", "{home} {state} {workspace} {other}"] }],
  install: { command: "install mine" },
  pass: ["KEY", "MOVED"],
  env: { PLACE: "{state}/x" },
  home: { MOVED: ".mine" },
  keeps: [".mine/sessions"],
};

describe("an agent's environment", () => {
  test("holds only the common variables of the host and those its row names", () => {
    const { env: given } = agentOf(row, env).launch(place);
    expect(given).toEqual({ PATH: env.PATH, HOME: "/me", KEY: "k", PLACE: "/state/x" });
  });

  test("points into the session's private home, whatever the person's variables say", () => {
    const moved = { ...env, MOVED: "/me/elsewhere" };
    const { env: given } = agentOf(row, moved).launch({ ...place, home: "/own" });
    expect(given).toMatchObject({ HOME: "/own", MOVED: "/own/.mine" });
    expect(agentOf(row, moved).launch(place).env).toMatchObject({ MOVED: "/me/elsewhere" });
  });
});

test("its places stand in its arguments by name, and other braces stay", () => {
  const { args, cwd, command } = agentOf(row, env).launch(place);
  expect(args[1]).toBe("/me /state /work {other}");
  expect(cwd).toBe("/work");
  expect(command).toMatch(/^\/.*\/sh$/);
});

test("where it keeps its sessions follows the home, and the person's own variable", () => {
  expect(agentOf(row, env).keeps?.(place)).toEqual(["/me/.mine/sessions"]);
  expect(agentOf(row, { ...env, MOVED: "/m" }).keeps?.(place)).toEqual(["/m/sessions"]);
  const own = { ...place, home: "/own" };
  expect(agentOf(row, { ...env, MOVED: "/m" }).keeps?.(own)).toEqual(["/own/.mine/sessions"]);
});

test("a missing agent says what to do about it", () => {
  const gone = { ...row, ways: [{ bin: "no-such-program", args: [] }] };
  expect(agentView(agentOf(gone, env))).toMatchObject({
    name: "mine",
    installed: false,
    version: null,
    missing: "Mine was not found. To get it: install mine",
    install: { command: "install mine" },
  });
});

describe("the table", () => {
  test("has every agent of the capability matrix, each with its own way of resuming", () => {
    const names = agentRows.map(({ name }) => name);
    expect(names).toEqual([
      ...["demo", "claude-code", "claude", "codex", "codex-zed", "copilot", "opencode"],
      ...["gemini", "qwen", "auggie", "amp", "pi", "goose"],
    ]);
    for (const { name, resume, history } of agentRows) {
      // Every agent has a way to learn the history.
      expect([name, resume === "native" || history === "inject"]).toEqual([name, true]);
    }
  });

  test("names for each what it keeps, and how to get it", () => {
    for (const { name, resume, keeps, install } of agentRows.slice(1)) {
      expect([name, install !== null, resume === "none" || keeps.length > 0]).toEqual([
        ...[name, true, true],
      ]);
    }
  });
});
