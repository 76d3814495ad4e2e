import { readFileSync } from "node:fs";
import type { Part, SessionId } from "@holdfast/protocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { processesMarked } from "../base/processes.ts";
import { endPlaces, endSessions, type Place, says, sharedPlace } from "./testing/place.ts";
import { cutOff, heard, memories, putAway, revive, revivedAgain, say } from "./testing/resuming.ts";

afterEach(endSessions);
afterAll(endPlaces);

const isRecovered = (part: Part) => "recovered" in part && part.recovered === true;

/** The recovered parts in the transcript, with their runs. */
async function recovered(p: Place, id: SessionId) {
  const { transcript } = await p.sessions.open(id);
  return transcript.messages.flatMap(({ runId, contentParts }) =>
    contentParts.filter(isRecovered).map((part) => ({ runId, part })),
  );
}

describe("an agent that did more than the journal holds", () => {
  test("between turns: it is shown as recovered and named in the receipt, once", async () => {
    const { p, id } = await putAway(["/say first /ahead=2"]);
    const resumed = await revive(p, id);
    expect(resumed).toMatchObject({ rung: "native", grade: "ahead" });
    expect(await recovered(p, id)).toMatchObject([
      { runId: null, part: { type: "tool", name: "Unheard 1", status: "completed" } },
      { runId: null, part: { type: "tool", name: "Unheard 2", input: { unheard: 2 } } },
    ]);
    expect(resumed?.receipt?.kept.at(-1)).toMatch(
      /no host was connected, .*call call_.*, call call_/,
    );
    expect(resumed?.receipt?.maybeTwice).toEqual([expect.stringContaining("Unheard 2")]);
    expect(await revivedAgain(p, id)).toMatchObject({ grade: "verified" });
    await say(p, id, "/say next");
    expect(await revivedAgain(p, id)).toMatchObject({ grade: "verified" });
    expect(await recovered(p, id)).toHaveLength(2);
  });

  test("in a cut-off run: it is added to that run behind its text, and the agent is told of the unfinished call [U18]", async () => {
    const { p, id, runId } = await cutOff("/count=20 /ahead=1 /die");
    const resumed = await revive(p, id);
    expect(resumed).toMatchObject({ rung: "native", grade: "ahead" });
    expect(await recovered(p, id)).toMatchObject([
      { runId, part: { type: "text", text: " And so I go on." } },
      { runId, part: { type: "tool", name: "Unheard 1", status: "unknown" } },
    ]);
    expect(resumed?.receipt?.maybeTwice).toEqual([expect.stringContaining("Unheard 1")]);
    expect(await revivedAgain(p, id)).toMatchObject({ grade: "verified" });
    expect(await recovered(p, id)).toHaveLength(2);
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await p.kind(id, "run.interrupted", (await p.sessions.state(id)).seq);
    const told = heard(p, id).at(-1);
    expect(told).toMatch(/Whether your call of Unheard 1 \(call_.*\) took effect is not known/);
    expect(told).toContain("<20> And so I go on.");
  });

  test("is recovered into the run it belongs to also when the next message came first", async () => {
    const { p, id, runId } = await cutOff("/count=20 /ahead=1 /die");
    await say(p, id, "/say next");
    expect((await recovered(p, id)).map((found) => found.runId)).toEqual([runId, runId]);
    const [resumed] = await p.of(id, "session.resumed");
    expect(resumed).toMatchObject({ grade: "ahead" });
    expect(await p.text(id)).toMatch(/<20>next$/);
    const [receipt] = await p.of(id, "receipt.issued");
    expect(receipt?.ms).toBe(resumed?.ms);
    expect(receipt?.maybeTwice).toEqual([expect.stringContaining("Unheard 1")]);
  });
});

test("a process that writes on in the agent's memory is ended before anyone loads it", async () => {
  const p = await sharedPlace();
  const id = await p.create();
  await p.prompt(id, "/orphan /stall");
  await p.kind(id, "tool.started");
  await p.until(id, says("without me"));
  const { holderId } = (await p.sessions.state(id)).runtime;
  expect(processesMarked(`HOLDFAST_HOLDER=${holderId}`).size).toBeGreaterThan(1);
  process.kill(p.agentPid(), "SIGKILL");
  await p.kind(id, "run.interrupted");
  await revive(p, id);
  expect(processesMarked(`HOLDFAST_HOLDER=${holderId}`).size).toBe(0);
  const [memory = ""] = memories(p, id);
  const entries = readFileSync(memory, "utf8").trim().split("\n");
  const loaded = entries.findLastIndex((line) => line.includes('"opened"'));
  expect(loaded).toBeGreaterThan(0);
  expect(entries.slice(loaded).filter((line) => line.includes("still"))).toEqual([]);
});
