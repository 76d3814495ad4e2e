import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Event, type EventOf, ranAgain, type SessionId } from "@holdfast/protocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { readIdentity } from "../holder/directory/identity.ts";
import { killHolder } from "../holder/host-side/liveness.ts";
import { newFolder, removeFolders } from "../workspace/testing/repo.ts";
import { endPlaces, endSessions, openPlace, type Place, sharedPlace } from "./testing/place.ts";
import { answer, effects, heard, loseAll, revive, say } from "./testing/resuming.ts";

afterEach(removeFolders);
afterEach(endSessions);
afterAll(endPlaces);

/** Asks a question; resolves when the host has marked the workspace for it. */
async function asking(words: string) {
  const p = await sharedPlace();
  const id = await p.create();
  const runId = await p.prompt(id, words);
  const asked = await p.kind(id, "approval.requested");
  await p.kind(id, "approval.marked");
  return { p, id, runId, asked };
}

async function askingIn(p: Place, words: string) {
  const id = await p.create();
  await p.prompt(id, words);
  return { id, asked: await p.kind(id, "approval.requested") };
}

/** A folder for PATH whose git does what the script says. */
function gitThat(script: string): string {
  const dir = newFolder();
  writeFileSync(join(dir, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${dir}:/usr/bin:/bin`;
}

/** The answer is not used, since the files of before are not known; the next one is. */
async function isAskedAgain(p: Place, id: SessionId, asked: Event & EventOf<"approval.requested">) {
  const { approvalId } = asked;
  const { seq } = await answer(p, id, asked, "allow").then(({ state }) => state);
  const again = await p.kind(id, "approval.requested", seq);
  expect(again).toMatchObject({ askedAgain: { reason: "files_unknown", approvalId } });
  await p.kind(id, "run.waiting", seq);
  expect(effects(p, id)).toBe(0);
  await answer(p, id, again, "allow");
  await p.kind(id, "run.completed", seq);
  expect(effects(p, id)).toBe(1);
}

describe("a question whose asker is dead", () => {
  test("stays open, can be answered by anyone, and the answer is used once when the agent asks the same again [U13] [U16] [P20]", async () => {
    const { p, id, runId, asked } = await asking("/effect");
    await loseAll(p);
    expect(await p.status(id)).toMatchObject({ status: "waiting", runtime: "none" });
    // Loading the agent does not repeat the question, which stayed open.
    expect(await revive(p, id)).toMatchObject({ rung: "native" });
    const { run } = await p.sessions.state(id);
    expect(run?.waits).toMatchObject([{ approvalId: asked.approvalId }]);
    await loseAll(p);
    await answer(p, id, asked, "allow", { by: "phone" });
    await p.kind(id, "run.completed");
    expect(effects(p, id)).toBe(1);
    expect(heard(p, id).at(-1)).toMatch(
      /question about execute .* was answered meanwhile: ALLOWED/,
    );
    const [first, second, third] = await p.of(id, "approval.decided");
    expect(first).toMatchObject({ runId, approvalId: asked.approvalId, by: "phone" });
    expect(second).toMatchObject({ carriedFrom: asked.approvalId, by: "phone" });
    expect(third).toBeUndefined();
    expect(await p.of(id, "run.started")).toHaveLength(1);
  });

  test("and whose agent repeats its edits before it asks again: the repeated calls are listed, and the agent was told that they are done", async () => {
    const { p, id, asked } = await asking("/work");
    const edited = (await p.of(id, "tool.started")).find(({ name }) => name === "Edit todo.js");
    await loseAll(p);
    // The demo agent decides by the files that it finds, so with the old files it makes the same
    // edits.
    execFileSync("git", ["checkout", "."], { cwd: p.workspace(id), stdio: "ignore" });
    const { seq } = await answer(p, id, asked, "allow").then(({ state }) => state);
    await p.kind(id, "approval.requested", seq);
    const { transcript } = await p.sessions.open(id);
    const [receipt] = transcript.receipts;
    expect(receipt?.maybeTwice).toEqual([]);
    const again = ranAgain(transcript.messages, transcript.receipts).get(receipt?.seq ?? 0);
    expect(again).toMatchObject([
      { name: "Read todo.js" },
      { name: "Edit todo.js", firstCallId: edited?.toolCallId, exact: true },
      { name: "Edit todo.test.js" },
    ]);
    const told = `- Edit todo.js (${edited?.toolCallId}) {"path":"todo.js"}\n`;
    expect(heard(p, id).at(-1)).toContain(told);
  });

  test("is asked again where something else would run, and says that it changed [P20]", async () => {
    const { p, id, asked } = await asking("/vary /effect");
    await loseAll(p);
    const { seq } = await answer(p, id, asked, "allow").then(({ state }) => state);
    const changed = await p.kind(id, "approval.requested", seq);
    expect(changed).toMatchObject({ changedFrom: asked.approvalId });
    expect([asked.input, changed.input]).toEqual([
      { n: 1, turn: 1 },
      { n: 1, turn: 2 },
    ]);
    await p.kind(id, "run.waiting", seq);
    expect(effects(p, id)).toBe(0);
    await answer(p, id, changed, "deny");
    await p.kind(id, "run.completed", seq);
    expect(effects(p, id)).toBe(0);
  });

  test("is asked again when files changed since, with their names, and counts for what is there now [P20]", async () => {
    const { p, id, asked } = await asking("/effect");
    await loseAll(p);
    writeFileSync(join(p.workspace(id), "mine.txt"), "changed by hand\n");
    const { seq } = await answer(p, id, asked, "allow").then(({ state }) => state);
    const again = await p.kind(id, "approval.requested", seq);
    expect(again).toMatchObject({
      digest: asked.digest,
      input: asked.input,
      askedAgain: { reason: "files_changed", approvalId: asked.approvalId, files: ["mine.txt"] },
    });
    await p.kind(id, "run.waiting", seq);
    expect(effects(p, id)).toBe(0);
    await answer(p, id, again, "allow");
    await p.kind(id, "run.completed", seq);
    expect(effects(p, id)).toBe(1);
  });

  test("is asked again when the host could not read the files at the question [P20]", async () => {
    const p = await openPlace({ gitPath: gitThat("exit 3") });
    const { id, asked } = await askingIn(p, "/effect");
    expect(await p.kind(id, "approval.marked")).toMatchObject({ workspace: null });
    await loseAll(p);
    await isAskedAgain(p, id, asked);
  });

  test("is asked again when the host ended before it had marked the files [P20]", async () => {
    const held = join(newFolder(), "held");
    writeFileSync(held, "");
    const p = await openPlace({
      gitPath: gitThat(`while [ -e ${held} ]; do sleep 0.05; done; exit 3`),
    });
    const { id, asked } = await askingIn(p, "/effect");
    await loseAll(p);
    rmSync(held);
    expect(await p.of(id, "approval.marked")).toEqual([]);
    await isAskedAgain(p, id, asked);
  });

  test("is asked again when the agent never said what exactly would run, and cannot be allowed always [P20] [S13]", async () => {
    const { p, id, asked } = await asking("/vague /effect");
    expect(asked).toMatchObject({ input: { title: "Effect 1" }, exact: false });
    await loseAll(p);
    await expect(answer(p, id, asked, "allow_always", { pattern: "*" })).rejects.toThrow(
      "does not say exactly what",
    );
    const { seq } = await answer(p, id, asked, "allow").then(({ state }) => state);
    const again = await p.kind(id, "approval.requested", seq);
    expect(again).toMatchObject({ askedAgain: { reason: "input_unknown" } });
    expect(effects(p, id)).toBe(0);
    await answer(p, id, again, "deny");
    await p.kind(id, "run.completed", seq);
    expect(effects(p, id)).toBe(0);
  });

  test("answered at the moment of its death: the allowed call runs exactly once [F6]", async () => {
    const { p, id, asked } = await asking("/effect");
    const [dir = ""] = p.holders();
    const holder = readIdentity(dir);
    if (holder === null || !("pid" in holder)) throw new Error("no holder");
    process.kill(holder.pid, "SIGSTOP");
    await answer(p, id, asked, "allow");
    expect(await p.of(id, "approval.delivered")).toEqual([]);
    await killHolder(dir);
    await p.kind(id, "run.completed");
    expect(effects(p, id)).toBe(1);
    const decided = await p.of(id, "approval.decided");
    expect(decided.map(({ carriedFrom }) => carriedFrom)).toEqual([undefined, asked.approvalId]);
  });
});

describe("a call that is always allowed", () => {
  test("is not asked again after all of it was lost, thirty times [U14]", async () => {
    const { p, id, asked } = await asking("/ask");
    await answer(p, id, asked, "allow_always", { pattern: "*" });
    await p.kind(id, "run.completed");
    await loseAll(p);
    const { seq } = await p.sessions.state(id);
    await say(p, id, "/ask=30");
    const since = ({ seq: at }: Event) => at > seq;
    const decided = (await p.of(id, "approval.decided")).filter(since);
    expect(decided.map(({ by }) => by)).toEqual(Array(30).fill("rule"));
    expect((await p.of(id, "run.waiting")).filter(since)).toEqual([]);
  });

  test("for one run ends with that run, also after restarts [F46]", async () => {
    const { p, id, asked } = await asking("/ask=2");
    await answer(p, id, asked, "allow_always", { scope: "run", pattern: "*" });
    await p.kind(id, "run.completed");
    expect(await p.of(id, "run.waiting")).toHaveLength(1);
    await loseAll(p);
    const { seq } = await p.sessions.state(id);
    await p.prompt(id, "/ask");
    await p.kind(id, "run.waiting", seq);
    expect((await p.sessions.state(id)).rules).toEqual([]);
  });
});

test("every follower is shown every question, and an answer from any device counts [U15]", async () => {
  const { p, id, asked: first } = await asking("/ask=2");
  const early = questions(p, id, 0);
  await answer(p, id, first, "allow", { by: "phone" });
  const second = await p.kind(id, "approval.requested", first.seq);
  const late = questions(p, id, first.seq);
  await answer(p, id, second, "deny", { by: "desktop" });
  expect(await early).toEqual([first.approvalId, second.approvalId]);
  expect(await late).toEqual([second.approvalId]);
  expect(await p.text(id)).toBe("Answer 1: once.\nAnswer 2: denied.\n");
});

/** The questions that a follower from `after` sees until the run is over. */
async function questions(p: Place, id: SessionId, after: number): Promise<string[]> {
  const seen: string[] = [];
  await p.until(
    id,
    (event) => {
      if (event.kind === "approval.requested") seen.push(event.approvalId);
      return event.kind === "run.completed";
    },
    after,
  );
  return seen;
}
