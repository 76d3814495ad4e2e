import { execFileSync } from "node:child_process";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { endPlaces, endSessions, says, sharedPlace } from "./testing/place.ts";
import { answer, effects, heard } from "./testing/resuming.ts";

afterEach(endSessions);
afterAll(endPlaces);

describe("the message that an interrupted agent gets", () => {
  test("names the round, the state of the workspace and the partial response, and says how to go on [R000-43] [R000-44] [R000-45] [R000-46] [R000-48] [R000-49]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/effect /count=200");
    await answer(p, id, await p.kind(id, "approval.requested"), "allow");
    await p.until(id, says("<20>"));
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    expect(effects(p, id)).toBe(1);
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", p.workspace(id), ...args], { encoding: "utf8" }).trimEnd();
    const dirty = git("status", "--porcelain")
      .split("\n")
      .map((line) => line.slice(3));
    expect(dirty).toContain("effects.log");

    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await expect.poll(() => heard(p, id).length, { timeout: 8_000 }).toBe(2);
    const told = heard(p, id)[1] ?? "";
    // One call was made before the text that was cut off, so the text belongs to the second round.
    expect(told).toMatch(/^\[SESSION_RESUMED\]\nThe session was interrupted during round 2\.\n/);
    expect(told).toContain(`Sandbox state at recovery:\nHEAD: ${git("rev-parse", "HEAD")}\n`);
    expect(told).toContain(`Dirty files: ${dirty.join(", ")}\n`);
    expect(told).toContain("\nDiff summary: ");
    expect(told).toMatch(/\(may be incomplete\):\n---\n[\s\S]*<1> <2> [\s\S]*<20>[\s\S]*\n---\n/);
    expect(told).not.toContain("Last known Coder state");
    expect(told).toMatch(/Continue from this state\. If the interrupted action completed/);
    expect(told).toMatch(/Do not repeat work that is already reflected in\nthe sandbox\.$/);
  });

  test("has the block for the partial response also without any output [R000-77]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/stall");
    await p.kind(id, "tool.started");
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await expect.poll(() => heard(p, id).length, { timeout: 8_000 }).toBe(2);
    const block = "\n\nThe assistant's last partial response (may be incomplete):\n---\n---\n";
    expect(heard(p, id)[1]).toContain(block);
  });
});
