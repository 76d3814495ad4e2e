import { fileURLToPath } from "node:url";
import type { EventKind } from "@holdfast/protocol";
import { afterEach, expect, test } from "vitest";
import type { AgentDefinition } from "../agents/table.ts";
import { endPlaces, env, openPlace as open, type Place, says } from "./testing/place.ts";
import { revivedAgain, say } from "./testing/resuming.ts";

afterEach(endPlaces);

const large: AgentDefinition = {
  ...{ name: "large", resume: "native", history: "never" },
  missing: () => null,
  version: () => null,
  launch: ({ workspace }) => ({
    command: process.execPath,
    args: [fileURLToPath(new URL("./testing/large-agent.mjs", import.meta.url))],
    cwd: workspace,
    env,
  }),
};

/** The journal takes no batch with such an event, once, and says something that nobody foresaw. */
function failOnce({ sessions: { journal } }: Place, kind: EventKind): void {
  const append = journal.append.bind(journal);
  journal.append = (batch) => {
    if (!batch.text.includes(`"kind":"${kind}"`)) return append(batch);
    journal.append = append;
    return Promise.reject(new Error("nobody foresaw this"));
  };
}

test("a write that fails while the agent is silent is noticed at once, and nothing is lost [P1]", async () => {
  const p = await open();
  const id = await p.create();
  failOnce(p, "text.appended");
  // Behind the stall no frame comes that could bring it to light.
  await p.prompt(id, "/count=1 /stall");
  await p.until(id, says("<1>"));
  expect(p.errors).toMatchObject([{ message: "nobody foresaw this" }]);
  await p.kind(id, "tool.started");
  expect(await p.text(id)).toBe("<1>");
  expect(await p.of(id, "run.interrupted")).toEqual([]);
});

test("an agent whose replay is long is ready all the same: each frame moves the cursor once [R004-3]", async () => {
  const p = await open();
  const id = await p.create();
  await p.prompt(id, "/flood=20000");
  await p.kind(id, "run.completed");
  for (let i = 0; i < 3; i++) {
    await p.host?.runtimes.pause(id);
    const resumed = await p.host?.runtimes.revive(id, "revive").done;
    expect(resumed).toMatchObject({ rung: "native" });
  }
  expect(await p.of(id, "agent.spoke")).toEqual([]);
});

test("messages larger than the holder's spool stop neither a turn nor a replay, and all of it is compared [P29] [R004-3]", async () => {
  const p = await open({ definitions: [large] });
  const id = await p.create({}, { agentName: "large" });
  await say(p, id, "replays 70");
  // Updates of a kind that nobody knows.
  await say(p, id, "updates 70");
  await say(p, id, "the last words of a person");
  expect(await revivedAgain(p, id)).toMatchObject({ rung: "native", grade: "verified" });
  expect(await p.of(id, "agent.spoke")).toEqual([]);
});
