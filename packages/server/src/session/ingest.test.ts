import type { EventKind } from "@holdfast/protocol";
import { afterEach, expect, test } from "vitest";
import { endPlaces, openPlace as open, type Place, says } from "./testing/place.ts";

afterEach(endPlaces);

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
