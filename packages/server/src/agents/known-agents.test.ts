import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { modelsOffered } from "./acp/model-choice.ts";
import { PinnedDefinitions } from "./definitions/pinned-definitions.ts";
import { KnownAgents } from "./known-agents.ts";

const offer = (...models: string[]) =>
  modelsOffered({ models: { availableModels: models.map((modelId) => ({ modelId })) } });
const mine = { tenant: "t1", agentName: "demo", definition: null };

/** The agents of a host at a time that the test sets. */
function knownAgents() {
  const time = { now: 1_000_000 };
  const clock = { steady: () => time.now };
  return { time, agents: new KnownAgents([], [], new PinnedDefinitions(tmpdir()), clock) };
}

test("a model is refused by the agent's latest offer, and an agent that offered none is asked", () => {
  const { agents } = knownAgents();
  expect(agents.refuseModel(mine, "new")).toBeNull();
  agents.offered(mine, offer("old"));
  expect(agents.refuseModel(mine, "new")).toMatchObject({ code: "model_unavailable" });
  expect(agents.refuseModel(mine, "old")).toBeNull();
  agents.offered(mine, offer("old", "new"));
  expect(agents.refuseModel(mine, "new")).toBeNull();
  const empty = modelsOffered({ configOptions: [{ id: "model", options: [] }] });
  for (const none of [null, empty]) {
    agents.offered(mine, offer("old"));
    agents.offered(mine, none);
    expect(agents.refuseModel(mine, "new")).toBeNull();
  }
});

test("the offer to one tenant, agent or definition refuses no model of another", () => {
  const { agents } = knownAgents();
  agents.offered(mine, offer("old"));
  for (const other of [{ tenant: "t2" }, { agentName: "other" }, { definition: "d" }]) {
    expect(agents.refuseModel({ ...mine, ...other }, "new")).toBeNull();
  }
});

test("an offer is forgotten after two minutes, so that an upgrade or a login can add models", () => {
  const { agents, time } = knownAgents();
  agents.offered(mine, offer("old"));
  time.now += 119_999;
  expect(agents.refuseModel(mine, "new")).not.toBeNull();
  time.now += 1;
  expect(agents.refuseModel(mine, "new")).toBeNull();
});
