import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { endPlaces, openPlace, type Place, says } from "./testing/place.ts";

afterEach(endPlaces);

/** Every prompt of every session it had, as its own transcripts have them; in order within a session. */
function heard(p: Place, id: SessionId): string[] {
  const dir = join(p.data, "agents", id);
  return readdirSync(dir)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(dir, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as { type: string; prompt?: { text: string }[] })
    .filter(({ type }) => type === "user")
    .map(({ prompt }) => prompt?.map(({ text }) => text).join("") ?? "");
}

async function say(p: Place, id: SessionId, words: string): Promise<void> {
  const { seq } = await p.sessions.state(id);
  await p.prompt(id, words);
  await p.kind(id, "run.completed", seq);
}

/** A session with answered messages, whose agent was put away. */
async function putAway(words: readonly string[]) {
  const p = await openPlace();
  const id = await p.create();
  for (const word of words) await say(p, id, word);
  await p.host?.runtimes.pause(id);
  return { p, id };
}

describe("native resume", () => {
  test("of an agent that remembers is verified, and nothing is told twice [R004-3]", async () => {
    const { p, id } = await putAway(["/say first", "/say second"]);
    const resumed = await p.host?.runtimes.revive(id, "revive").done;
    expect(resumed).toMatchObject({ rung: "native", grade: "verified" });
    expect(resumed?.receipt).toMatchObject({ lost: [], maybeTwice: [] });
    await say(p, id, "/say third");
    expect(heard(p, id).at(-1)).toBe("/say third");
  });

  test("of an agent that forgets most of it is partial, and the next prompt tells what is missing, once", async () => {
    const { p, id } = await putAway(["/say first", "/say second", "/say third /forget"]);
    const resumed = await p.host?.runtimes.revive(id, "revive").done;
    expect(resumed).toMatchObject({ rung: "native", grade: "partial" });
    expect(resumed?.receipt?.lost).toHaveLength(1);
    await say(p, id, "/say fourth");
    const told = heard(p, id).at(-1) ?? "";
    expect(told).toContain("=== EXECUTION HISTORY ===");
    expect(told).toContain("third");
    await say(p, id, "/say fifth");
    expect(heard(p, id).at(-1)).toBe("/say fifth");
  });
});

describe("an agent that cannot or does not resume", () => {
  test.each([
    ["takes an id it never gave out, and starts empty", "/lie=unknown"],
    ["says that it cannot load sessions", "/lie=denies"],
    ["says that it can, and does not know the method", "/lie=capability"],
  ])(
    "%s: the conversation is told with the first prompt, once [R004-4] [R004-29] [R004-37] [R004-38] [R004-48]",
    async (_what, lie) => {
      const { p, id } = await putAway(["/say first", lie]);
      if (lie === "/lie=unknown") forget(p, id);
      const resumed = await p.host?.runtimes.revive(id, "revive").done;
      expect(resumed).toMatchObject({ rung: "injected", grade: "injected" });
      expect(await p.of(id, "agent.session_retired")).toHaveLength(1);
      expect((await p.status(id)).status).toBe("idle");
      await say(p, id, "/say next");
      const told = heard(p, id).filter((prompt) => prompt.startsWith("RESUME CONTEXT"));
      expect(told).toHaveLength(1);
      expect(told[0]).toContain("[USER]: /say first");
      await say(p, id, "/say last");
      expect(heard(p, id).filter((prompt) => prompt.startsWith("RESUME CONTEXT"))).toHaveLength(1);
    },
  );

  test("is told nothing when it is to start fresh [R004-32]", async () => {
    const { p, id } = await putAway(["/say first"]);
    expect(await p.host?.runtimes.revive(id, "fresh").done).toMatchObject({ rung: "fresh" });
    await say(p, id, "/say next");
    expect(heard(p, id).toSorted()).toEqual(["/say first", "/say next"]);
  });
});

describe("going on after an interruption", () => {
  test("tells the agent what the workspace looks like, what it had said and what it was asked", async () => {
    const p = await openPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/count=200");
    await p.until(id, says("<20>"));
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    const before = (await p.sessions.state(id)).seq;
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await p.kind(id, "run.completed", before);
    const told = heard(p, id).at(-1) ?? "";
    expect(told).toMatch(/^\[SESSION_RESUMED\]\nThe session was interrupted during round 1\.\n/);
    expect(told).toMatch(/HEAD: [0-9a-f]{40}\nDirty files: clean/);
    expect(told).toContain("<20>");
    expect(told).toContain("---\n/count=200\n---");
  });
});

/** As a new machine would: what the agent kept of the session is gone. */
function forget(p: Place, id: SessionId): void {
  const dir = join(p.data, "agents", id);
  for (const name of readdirSync(dir).filter((file) => file.endsWith(".jsonl"))) {
    rmSync(join(dir, name));
  }
}
