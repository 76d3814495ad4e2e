import { describe, expect, test } from "vitest";
import { configFile } from "../../config-file.ts";
import { allAgents, type OwnAgent } from "./own-rows.ts";

const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/me" };
const agentsOf = (own: Record<string, OwnAgent>) =>
  new Map(allAgents(own, env).map((agent) => [agent.name, agent]));
const place = { workspace: "/work", state: "/state", home: null, mcpServers: [] };

describe("a person's own agent", () => {
  test("is started by its command, and is expected to speak the protocol", () => {
    const mine = agentsOf({ mine: { command: ["sh", "-c", "x"], env: { A: "{workspace}" } } }).get(
      "mine",
    );
    expect(mine?.missing()).toBeNull();
    expect(mine?.launch(place)).toMatchObject({ args: ["-c", "x"], env: { A: "/work" } });
    expect(mine).toMatchObject({ resume: "native", history: "fallback" });
  });

  test("may extend a known one", () => {
    const agents = agentsOf({
      careful: { like: "codex", mode: "read-only", pass: ["MY_KEY"], history: "never" },
    });
    const careful = agents.get("careful");
    expect(careful).toMatchObject({ mode: "read-only", history: "never", resume: "native" });
    expect(careful?.row?.pass).toEqual([...(agents.get("codex")?.row?.pass ?? []), "MY_KEY"]);
    expect(agents.get("codex")?.mode).toBeUndefined();
  });

  test("may change a known one in its place", () => {
    const agents = agentsOf({ codex: { mode: "read-only" } });
    expect(agents.get("codex")).toMatchObject({ mode: "read-only" });
    expect([...agents.keys()].filter((name) => name === "codex")).toHaveLength(1);
  });

  test("with a definition has a home of its own", () => {
    expect(agentsOf({ mine: { like: "demo", definition: "/d" } }).get("mine")).toMatchObject({
      definition: "/d",
      ownHome: true,
    });
    expect(agentsOf({ mine: { like: "demo", home: "private" } }).get("mine")?.ownHome).toBe(true);
  });
});

describe("is refused, with the place and what to do", () => {
  test.each([
    [{ agents: { mine: {} } }, "is required: the program"],
    [{ agents: { mine: { like: "nobody" } } }, "Known: demo,"],
    [
      { agents: { mine: { like: "demo", home: "shared", definition: "/d" } } },
      "cannot be combined with",
    ],
    [{ agents: { mine: { comand: ["x"] } } }, "comand"],
    [{ agents: { Mine: { command: ["x"] } } }, "must consist of lowercase letters"],
    [{ agents: { mine: { command: [] } } }, ""],
    [{ agents: { mine: { command: ["./x"] } } }, "an absolute path"],
    [
      { agents: { mine: { like: "demo", env: { "A=B": "x" } } } },
      "must be the name of an environment variable",
    ],
    [{ agents: { mine: { like: "demo", definition: "d" } } }, "must be an absolute path"],
    [{ agent: {} }, "agent"],
  ])("%j", (file, words) => {
    const parsed = configFile.safeParse(file);
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error?.issues)).toContain(words);
  });
});
