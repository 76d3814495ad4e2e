import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import {
  endPlaces,
  endSessions,
  openPlace,
  type Place,
  says,
  sharedPlace,
} from "./testing/place.ts";
import {
  answer,
  cutOff,
  effects,
  heard,
  loseAll,
  memories,
  revive,
  revivedAgain,
  say,
} from "./testing/resuming.ts";

afterEach(endSessions);
afterAll(endPlaces);

describe("going on after an interruption", () => {
  test("tells the task and output of a subagent, beside the state of the workspace [R000-47]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/delegate");
    await p.kind(id, "tool.updated");
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await expect.poll(() => heard(p, id).length, { timeout: 8_000 }).toBe(2);
    const [, told] = heard(p, id);
    expect(told).toContain("Last known Coder state:\nIt was asked: ");
    expect(told).toContain("Mend the tests of notes.mjs");
    expect(told).toContain("It had said: [CODER_STATE] plan: mend two tests; open: the second");
    expect(told).toMatch(/HEAD: [0-9a-f]{40}/);
  });

  test("is an ordinary run in the agent's own session, with one message about the state; afterwards the interruption is over [R000-50]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/count=200");
    await p.until(id, says("<20>"));
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    const before = await p.sessions.state(id);
    expect(before.recovery.interruption).toMatchObject({ runId });
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await p.kind(id, "run.completed", before.seq);
    const told = heard(p, id);
    expect(told).toHaveLength(2);
    expect(told[1]).toMatch(/^\[SESSION_RESUMED\]\nThe session was interrupted during round 1\.\n/);
    expect(told[1]).toMatch(/HEAD: [0-9a-f]{40}\nDirty files: clean/);
    expect(told[1]).toContain("<20>");
    expect(told[1]).toContain("---\n/count=200\n---");
    expect(memories(p, id)).toHaveLength(1);
    expect(await p.of(id, "session.resumed")).toMatchObject([{ grade: "verified" }]);
    // The receipt comes before all that the revived agent does.
    const [receipt] = await p.of(id, "receipt.issued");
    const accepted = await p.of(id, "attempt.accepted");
    expect(receipt?.seq).toBeLessThan(accepted.at(-1)?.seq ?? 0);
    const whole = "the whole conversation: 1 message of yours, 1 answer of the agent, unfinished";
    expect(receipt?.kept).toContain(whole);
    expect(await p.status(id)).toMatchObject({ status: "idle" });
    expect((await p.sessions.state(id)).recovery.interruption).toBeNull();
  });
});

describe("a new message instead of Continue", () => {
  const receiptOf = async (p: Place, id: SessionId) => (await p.of(id, "receipt.issued")).at(-1);

  test("tells the agent what it had said when it was cut off, once, and the receipt names it", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/count=200");
    await p.until(id, says("<20>"));
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    await say(p, id, "/say next");
    const [, told] = heard(p, id);
    expect(told).toMatch(/^\[SESSION_RESUMED\]\nThe session was interrupted during round 1\.\n/);
    expect(told).toContain("(may be incomplete):\n---\n<1> <2>");
    expect(told).toMatch(/HEAD: [0-9a-f]{40}/);
    expect(told).toContain("=== CURRENT REQUEST ===\n\n/say next\n");
    const receipt = await receiptOf(p, id);
    expect(receipt?.evidence).toMatchObject({ grade: "verified" });
    expect(receipt?.kept[0]).toMatch(
      /^the whole conversation: [1-9] messages? of yours, [1-9] answers? of the agent(, .*unfinished)?$/,
    );
    expect(receipt?.lost).toEqual([expect.stringMatching(/unfinished answer .* repeats it/)]);
    // The agent knows it now, so later prompts do not repeat it, and the next load is verified.
    await say(p, id, "/say last");
    expect(heard(p, id).at(-1)).toBe("/say last");
    expect(await revivedAgain(p, id)).toMatchObject({ grade: "verified" });
    expect((await receiptOf(p, id))?.lost).toEqual([]);
    await say(p, id, "/say more");
    expect(heard(p, id).at(-1)).toBe("/say more");
  });

  test("tells the agent which call was left open, and that its outcome is unknown [U17]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/stall");
    const { toolCallId, name } = await p.kind(id, "tool.started");
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    await say(p, id, "/say next");
    expect(heard(p, id).at(-1)).toContain(`(${toolCallId}) took effect is not known`);
    expect((await receiptOf(p, id))?.lost).toEqual([
      expect.stringContaining(`unfinished tool calls: ${name}`),
    ]);
  });

  test("tells the agent which calls were completed, also without any text, and the receipt names no loss", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/effect /die");
    await answer(p, id, await p.kind(id, "approval.requested"), "allow");
    const { toolCallId } = await p.kind(id, "tool.finished");
    await p.kind(id, "run.interrupted");
    await say(p, id, "/say next");
    const told = heard(p, id).at(-1);
    expect(told).toContain("(may be incomplete):\n---\n---\n");
    expect(told).toContain(`do not run them again:\n- Effect 1 (${toolCallId})`);
    expect(told).toContain("=== CURRENT REQUEST ===\n\n/say next\n");
    expect((await receiptOf(p, id))?.lost).toEqual([]);
    await say(p, id, "/say last");
    expect(heard(p, id).at(-1)).toBe("/say last");
  });

  test("is sent unchanged when the cut-off run had no output and no calls", async () => {
    const { p, id } = await cutOff("/die");
    await say(p, id, "/say next");
    expect(heard(p, id)).toEqual(["/die", "/say next"]);
  });
});

test("a retry from the start is told no completed call, and a run that continues it only the retry's", async () => {
  const p = await sharedPlace();
  const id = await p.create();
  async function cut(after: number) {
    await answer(p, id, await p.kind(id, "approval.requested", after), "allow");
    const { toolCallId } = await p.kind(id, "tool.finished", after);
    const { runId, seq } = await p.kind(id, "run.interrupted", after);
    return { toolCallId, runId, seq };
  }
  await p.prompt(id, "/effect /die");
  const first = await cut(0);
  await p.sessions.execute(id, "retry", { runId: first.runId, from: "start" });
  const second = await cut(first.seq);
  expect(heard(p, id)).toEqual(["/effect /die", "/effect /die"]);
  await p.sessions.execute(id, "retry", { runId: second.runId, from: "error" });
  await expect.poll(() => heard(p, id).length, { timeout: 8_000 }).toBe(3);
  const told = heard(p, id).at(-1);
  expect(told).toContain(`do not run them again:\n- Effect 1 (${second.toolCallId})`);
  expect(told).not.toContain(first.toolCallId);
});

describe("the state that a continued agent is told", () => {
  /** A wrapper around git that logs its arguments. */
  function countedGit() {
    const dir = mkdtempSync(join(tmpdir(), "holdfast-git-"));
    const log = join(dir, "log");
    writeFileSync(log, "");
    const script = `#!/bin/sh\necho "$@" >> ${log}\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n`;
    writeFileSync(join(dir, "git"), script, { mode: 0o755 });
    const asked = () => readFileSync(log, "utf8").trim().split("\n").filter(Boolean);
    return { gitPath: `${dir}:/usr/bin:/bin`, asked, clear: () => writeFileSync(log, "") };
  }

  test("comes from one look at the workspace, with the receipt's, by the requirement's three commands [R000-42] [R000-43] [R000-46]", async () => {
    const git = countedGit();
    const p = await openPlace({ gitPath: git.gitPath });
    const id = await p.create();
    const runId = await p.prompt(id, "/count=200");
    await p.until(id, says("<20>"));
    writeFileSync(join(p.workspace(id), "effects.log"), "1\n");
    process.kill(p.agentPid(), "SIGKILL");
    const { seq } = await p.kind(id, "run.interrupted");
    git.clear();
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await p.kind(id, "receipt.issued", seq);
    await expect.poll(() => heard(p, id).length, { timeout: 8_000 }).toBe(2);
    expect(git.asked().map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      ...["status --porcelain", "rev-parse HEAD", "diff --stat"],
    ]);
    const told = heard(p, id).at(-1);
    expect(told).toMatch(/HEAD: [0-9a-f]{40}\nDirty files: effects\.log\nDiff summary: none\n/);
    const [receipt] = await p.of(id, "receipt.issued");
    expect(receipt?.evidence).toMatchObject({ dirty: ["effects.log"] });
  });

  test("comes after the receipt, also when Continue comes between the start and the receipt", async () => {
    const dir = mkdtempSync(join(tmpdir(), "holdfast-git-"));
    const [armed, held, log] = [join(dir, "armed"), join(dir, "held"), join(dir, "log")];
    // The first git after `armed` exists waits until `held` is removed; the others pass.
    const script = [
      "#!/bin/sh",
      `if mv ${armed} ${held} 2>/dev/null; then while [ -e ${held} ]; do sleep 0.05; done; fi`,
      `echo "$1" >> ${log}`,
      'PATH=/usr/local/bin:/usr/bin:/bin exec git "$@"',
    ];
    writeFileSync(join(dir, "git"), `${script.join("\n")}\n`, { mode: 0o755 });
    const p = await openPlace({ gitPath: `${dir}:/usr/bin:/bin` });
    const id = await p.create();
    const runId = await p.prompt(id, "/count=200");
    await p.until(id, says("<20>"));
    process.kill(p.agentPid(), "SIGKILL");
    const { seq } = await p.kind(id, "run.interrupted");
    writeFileSync(log, "");
    writeFileSync(armed, "");
    const reviving = revive(p, id);
    await p.kind(id, "agent.ready", seq);
    await expect.poll(() => existsSync(held)).toBe(true);
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await expect.poll(() => readFileSync(log, "utf8").trim().split("\n").length).toBe(3);
    rmSync(held);
    await reviving;
    const accepted = await p.kind(id, "attempt.accepted", seq);
    const [receipt] = await p.of(id, "receipt.issued");
    expect(receipt?.seq).toBeLessThan(accepted.seq);
  });

  test("leaves out a subagent whose work is over [R000-47]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/delegated /count=200");
    await p.until(id, says("<20>"));
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await expect.poll(() => heard(p, id).length, { timeout: 8_000 }).toBe(2);
    expect(heard(p, id)[1]).toContain("during round 2.");
    expect(heard(p, id)[1]).not.toContain("Last known Coder state");
  });

  test("names files that hold less than the agent wrote, as after a power cut, and so does the receipt [R000-46]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/work");
    const asked = await p.kind(id, "approval.requested");
    const edits = (await p.of(id, "part.added")).filter(({ part }) => part.type === "diff");
    const path = String(edits[0]?.part.path);
    await loseAll(p);
    truncateSync(path);
    const { seq } = await answer(p, id, asked, "deny").then(({ state }) => state);
    await p.kind(id, "attempt.accepted", seq);
    // The agent writes the prompt to its memory a moment later.
    const told = `Less than you wrote: ${path} is empty; `;
    await expect.poll(() => heard(p, id).at(-1)).toContain(told);
    const receipt = await receiptSince(p, id, seq);
    expect(receipt.lost).toContainEqual(expect.stringContaining(`${path} is empty`));
    expect(receipt.evidence).toMatchObject({ short: [path] });
  });

  const receiptSince = (p: Place, id: SessionId, seq: number) => p.kind(id, "receipt.issued", seq);
});

describe("a call that was under way", () => {
  test("is closed as unknown once, over a load that replays it open and a restart after that [U17] [U18]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/stall");
    const { toolCallId } = await p.kind(id, "tool.started");
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    const resumed = await revive(p, id);
    expect(resumed).toMatchObject({ rung: "native", grade: "verified" });
    expect(resumed?.receipt).toMatchObject({ evidence: { maybeTwice: [toolCallId] } });
    await loseAll(p);
    expect((await revive(p, id))?.receipt?.maybeTwice).toHaveLength(1);
    expect(await p.of(id, "tool.finished")).toMatchObject([
      { toolCallId, status: "unknown", synthetic: true },
    ]);
    expect(await p.of(id, "tool.started")).toHaveLength(1);
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await p.until(id, (event) => event.kind === "tool.started" && event.toolCallId !== toolCallId);
    expect(heard(p, id).at(-1)).toMatch(
      new RegExp(`your call of .* \\(${toolCallId}\\) took effect is not known`),
    );
  });

  test("that took effect and could not say so is unknown, with what git says of it, and is not done again by itself [F5] [F6] [U17] [RX-3]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/untold /effect");
    await answer(p, id, await p.kind(id, "approval.requested"), "allow");
    await p.kind(id, "run.interrupted");
    expect(effects(p, id)).toBe(1);
    expect(await p.of(id, "tool.finished")).toMatchObject([{ status: "unknown" }]);
    const resumed = await revive(p, id);
    expect(resumed?.receipt?.maybeTwice).toEqual([expect.stringContaining("Effect 1")]);
    expect(resumed?.receipt?.evidence).toMatchObject({ dirty: ["effects.log"] });
    expect(await revivedAgain(p, id)).toMatchObject({ grade: "verified" });

    const { seq } = await p.sessions.state(id);
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    const again = await p.kind(id, "approval.requested", seq);
    expect(heard(p, id).at(-1)).toMatch(/Dirty files: effects\.log\n/);
    expect(heard(p, id).at(-1)).toMatch(/your call of Effect 1 .* is not known/);
    // The answer was for the first call; for another call the person is asked.
    expect(await p.status(id)).toMatchObject({ status: "waiting" });
    await answer(p, id, again, "deny");
    await p.kind(id, "run.completed", seq);
    expect(effects(p, id)).toBe(1);
  });
});

test("a run that is cut off again and again keeps all its text", async () => {
  const { p, id, runId } = await cutOff("/count=20 /die");
  const { seq } = await p.sessions.state(id);
  await p.sessions.execute(id, "retry", { runId, from: "error" });
  await p.kind(id, "run.interrupted", seq);
  expect(await revive(p, id)).toMatchObject({ rung: "native" });
  const { transcript } = await p.sessions.open(id);
  const answers = transcript.messages.filter(({ role }) => role === "assistant");
  for (const { contentParts } of answers) {
    expect(contentParts).toMatchObject([{ type: "text", text: expect.stringContaining("<20>") }]);
  }
});
