import type { EventBody } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { journal } from "../../../gallery/fixtures.ts";
import { reviveProgress } from "./revive-progress.ts";

const reviving: EventBody = { kind: "session.reviving", mode: "continue", epoch: 2 };
const launched: EventBody = { kind: "holder.launched", holderId: "h", epoch: 2 };
const retired: EventBody = {
  kind: "agent.session_retired",
  agentSessionId: "a",
  reason: "it knows no such session",
};
const ready: EventBody = { kind: "agent.ready", agentSessionId: "b", holderId: "h", epoch: 2 };
const resumed: EventBody = {
  kind: "session.resumed",
  rung: "injected",
  ms: 9,
  grade: null,
  epoch: 2,
  bootId: "b",
};
const failed: EventBody = {
  kind: "session.revive_failed",
  error: { code: "launch_failed", message: "No." },
};
const events = (bodies: readonly EventBody[]) =>
  journal(...bodies.map((body) => [1, body] as const));
const progress = (...bodies: readonly EventBody[]) => reviveProgress(events(bodies), "native");

test("a revive shows its past steps and the current one", () => {
  expect(progress(reviving)).toEqual({ steps: [], now: "Preparing the folder" });
  expect(progress(reviving, launched)).toMatchObject({
    steps: [{ is: "done" }],
    now: "Loading the agent’s own saved session",
  });
  expect(progress(reviving, launched, retired)).toMatchObject({
    steps: [{ is: "done" }, { is: "missed", words: expect.stringContaining("no such session") }],
    now: "Starting a new agent session",
  });
  const lost: EventBody = { kind: "workspace.lost", what: "gone" };
  expect(progress(reviving, lost)).toMatchObject({
    steps: [{ is: "missed", words: expect.stringContaining("folder was gone") }],
  });
  expect(progress(reviving, launched, ready)?.now).toBe("Checking the agent’s memory");
});

test("a new process makes an announced adoption outdated", () => {
  expect(reviveProgress(events([reviving, launched]), "adopted")?.now).toBe("Starting the agent");
  expect(reviveProgress(events([reviving, launched]), null)?.now).toBe("Starting the agent");
});

test("a finished revive shows no progress, and its steps are not counted for the next one", () => {
  expect(progress(launched, ready)).toBeNull();
  expect(progress(reviving, launched, ready, resumed)).toBeNull();
  expect(progress(reviving, launched, failed)).toBeNull();
  expect(progress(reviving, launched, failed, reviving)?.steps).toEqual([]);
});
