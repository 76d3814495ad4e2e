import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deriveStatus, HostError, type SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import type { HolderLiveness } from "../holder/host-side/liveness.ts";
import { bareAgent } from "../testing/bare-agent.ts";
import { noHolders } from "../testing/no-holders.ts";
import { done, failed, type Step, scriptedAgent, text } from "../testing/scripted-agent.ts";
import { type TestHost, testHost } from "../testing/test-host.ts";
import { presentToken } from "./secrets.ts";

const DAY = 24 * 3600_000;
/** Disables the periodic sweep; each test sweeps explicitly. */
const still = { sweep: 1000 * DAY };

async function finished(policy: Record<string, number> = {}) {
  const agent = scriptedAgent("demo", ({ content }) => [text(`re: ${content}`), done()]);
  const host = await testHost({ agents: [agent], policy: { ...still, ...policy } });
  const id = await host.newSession();
  await host.sessions.execute(id, "prompt", { content: "hello" });
  await host.until(id, "run.completed");
  return { host, id };
}

const status = async (host: TestHost, id: SessionId) =>
  deriveStatus(await host.sessions.state(id), { epoch: host.sessions.epoch });

describe("waits", () => {
  async function waiting() {
    const deadlineAt = "2026-01-01T00:10:00.000Z";
    const agent = scriptedAgent("demo", () => [{ type: "await", kind: "tool_result", deadlineAt }]);
    const host = await testHost({ agents: [agent], policy: still });
    const id = await host.newSession();
    await host.sessions.execute(id, "prompt", { content: "hello" });
    await host.until(id, "token.minted");
    return { host, id };
  }

  test("[R002-35] [R002-52] [R002-62] a passed deadline interrupts once, revokes the token, and the wait cannot be resumed", async () => {
    const { host, id } = await waiting();
    host.clock.advance(10 * 60_000 - 1);
    await host.sweep();
    expect((await status(host, id)).status).toBe("waiting");
    host.clock.advance(1);
    await Promise.all([host.sweep(), host.sweep()]);
    expect((await status(host, id)).status).toBe("interrupted_waiting");
    const events = await host.events(id);
    expect(events.filter((event) => event.kind === "run.interrupted")).toMatchObject([
      { reason: "wait_timeout" },
    ]);
    expect(events.filter((event) => event.kind === "token.revoked")).toHaveLength(1);
    const runId = (await host.sessions.state(id)).run?.id ?? "";
    const resume = host.sessions.execute(id, "resumeWait", { runId, by: "webhook" });
    await expect(resume).rejects.toMatchObject({ code: "not_open" });
    const token = presentToken(host.tokens[0] ?? "");
    if (token instanceof HostError) throw token;
    const stale = host.sessions.execute(id, "resumeWait", { runId, by: "webhook", token });
    await expect(stale).rejects.toMatchObject({ code: "token_revoked" });
  });

  test("[P18] a stepped wall clock neither fires a deadline early nor holds it back", async () => {
    const { host, id } = await waiting();
    host.clock.step(DAY);
    await host.sweep();
    expect((await status(host, id)).status).toBe("waiting");
    host.clock.step(-2 * DAY);
    host.clock.advance(10 * 60_000);
    await host.sweep();
    expect((await status(host, id)).status).toBe("interrupted_waiting");
  });

  async function asked(policy: Record<string, number> = {}) {
    const ask: Step = {
      type: "ask",
      toolCallId: "t",
      toolName: "bash",
      input: {},
      allowed: [done()],
      denied: [done()],
    };
    const agents = [scriptedAgent("demo", () => [ask])];
    const host = await testHost({ agents, policy: still });
    const id = await host.newSession({ policy });
    await host.sessions.execute(id, "prompt", { content: "hello" });
    await host.until(id, "token.minted");
    return { host, id };
  }

  test("[R003-11] a question without a deadline is still open after a year of sweeps", async () => {
    const { host, id } = await asked();
    for (let month = 0; month < 12; month++) {
      host.clock.advance(30 * DAY);
      await host.sweep();
    }
    expect((await status(host, id)).status).toBe("waiting");
  });

  test("a question with the policy's deadline is over then, and not before", async () => {
    const { host, id } = await asked({ approvalDeadline: 60_000 });
    host.clock.advance(59_999);
    await host.sweep();
    expect((await status(host, id)).status).toBe("waiting");
    host.clock.advance(1);
    await host.sweep();
    expect((await status(host, id)).status).toBe("interrupted_waiting");
    const { run } = await host.sessions.state(id);
    expect(run).toMatchObject({ interruption: "wait_timeout", approvals: [{ withdrawn: true }] });
  });

  test("a question's deadline that passed without a host leaves a minute to answer after the start", async () => {
    const { host, id } = await asked({ approvalDeadline: 60_000 });
    host.clock.advance(3_600_000);
    const next = await host.crash();
    next.clock.advance(59_000);
    await next.sweep();
    expect((await status(next, id)).status).toBe("waiting");
    next.clock.advance(1000);
    await next.sweep();
    expect((await status(next, id)).status).toBe("interrupted_waiting");
  });

  test("[R002-34] a tool's wait whose token was revoked is settled by the next sweep", async () => {
    const { host, id } = await waiting();
    const run = (await host.sessions.state(id)).run;
    const tokenId = run?.waits[0]?.token?.id ?? "";
    await host.sessions.execute(id, "revokeToken", {
      runId: run?.id ?? "",
      tokenId,
      reason: "leaked",
    });
    await host.sweep();
    expect((await status(host, id)).status).toBe("interrupted_waiting");
  });
});

test("a paused run is not a failed launch, however long it is silent", async () => {
  const host = await testHost({ agents: [bareAgent([{ type: "accepted" }])], policy: still });
  const id = await host.newSession();
  await host.sessions.execute(id, "prompt", { content: "hello" });
  await host.until(id, "attempt.accepted");
  await host.sessions.execute(id, "pause", { reason: "explicit" });
  host.clock.advance(DAY);
  await host.sweep();
  const run = (await host.sessions.state(id)).run;
  expect(run).toMatchObject({ outcome: null, paused: "explicit", attempt: { n: 1, failed: null } });
  await host.close();
});

test("lost holders are probed side by side: many of them cost one probe's time", async () => {
  const host = await testHost({ policy: still });
  await host.runner.stop();
  for (let n = 0; n < 5; n++) {
    const id = await host.newSession();
    await host.sessions.execute(id, "prompt", { content: "hello" });
    await host.sessions.execute(id, "launchHolder", { holderId: host.sessions.newId("holder") });
  }
  let probes = 0;
  let hang = false;
  const probe = () => {
    probes++;
    return hang
      ? new Promise<HolderLiveness>(() => undefined)
      : Promise.resolve<HolderLiveness>("unknown");
  };
  const next = await host.crash({ holders: { ...noHolders, probe } });
  expect(next.recovery.unreachable).toHaveLength(5);
  hang = true;
  const sweeping = next.sweep();
  while (probes < 10) await new Promise((resolve) => setImmediate(resolve));
  next.clock.advance(2000);
  await sweeping;
});

describe("retention", () => {
  test("[R003-51] the detail of a failed run is kept for 30 days, and no longer", async () => {
    const agents = [scriptedAgent("demo", () => [failed("broken", "It broke.")])];
    const host = await testHost({ agents, policy: still });
    const id = await host.newSession();
    await host.sessions.execute(id, "prompt", { content: "hello" });
    await host.until(id, "run.failed");
    host.clock.advance(30 * DAY - 1000);
    await host.sweep();
    expect((await host.journal.standing(id))?.trimmed).toBe(0);
    host.clock.advance(1000);
    await host.sweep();
    expect((await host.journal.standing(id))?.trimmed).toBeGreaterThan(0);
    expect((await host.sessions.open(id)).transcript.messages.at(-1)).toMatchObject({
      status: "error",
      errorMessage: "It broke.",
    });
  });

  test("[R003-50] old run detail is folded into a base; no message, outcome, receipt or word of it is lost", async () => {
    const { host, id } = await finished();
    const told = {
      kept: ["the conversation"],
      lost: [],
      maybeTwice: ["npm publish"],
      evidence: {},
    };
    await host.sessions.execute(id, "receipt", { runId: null, rung: null, ...told });
    const before = await host.sessions.open(id);
    expect(before.transcript.receipts).toMatchObject([told]);
    host.clock.advance(7 * DAY - 1000);
    await host.sweep();
    expect((await host.journal.standing(id))?.trimmed).toBe(0);
    host.clock.advance(1000);
    await host.sweep();
    const standing = await host.journal.standing(id);
    expect(standing?.trimmed).toBe(before.state.seq);
    const after = await host.sessions.open(id);
    expect(after.transcript.messages).toEqual(before.transcript.messages);
    expect(after.transcript.receipts).toEqual(before.transcript.receipts);
    await host.sweep();
    expect((await host.journal.standing(id))?.seq).toBe(standing?.seq);
    const next = await host.crash();
    expect((await next.sessions.open(id)).transcript.messages).toEqual(before.transcript.messages);
  });

  test("a follower below the fold is reset, and ends with the same transcript", async () => {
    const { host, id } = await finished();
    host.clock.advance(7 * DAY);
    await host.sweep();
    const types: string[] = [];
    for await (const followed of host.sessions.follow(id, 2)) {
      types.push(followed.type);
      if (followed.type === "events") break;
    }
    expect(types).toEqual(["reset", "events"]);
  });

  test("[F40] only ended sessions disappear, and only after their time", async () => {
    const { host, id } = await finished();
    const other = await host.newSession();
    host.clock.advance(400 * DAY);
    await host.sweep();
    expect(await host.journal.standing(id)).not.toBeNull();
    await host.sessions.execute(id, "end", { reason: "explicit" });
    host.clock.advance(29 * DAY);
    await host.sweep();
    expect(await host.journal.standing(id)).not.toBeNull();
    await expect(host.sessions.remove(other)).rejects.toMatchObject({ code: "already_running" });
    host.clock.advance(1 * DAY);
    await host.sweep();
    expect(await host.journal.standing(id)).toBeNull();
    expect(await host.journal.standing(other)).not.toBeNull();
  });

  test("[R001-39] the files of an ended session are deleted with it, and those of other sessions are kept", async () => {
    const data = mkdtempSync(join(tmpdir(), "holdfast-kept-"));
    const host = await testHost({ data, policy: still });
    const [ended, other] = [await host.newSession(), await host.newSession()];
    for (const id of [ended, other]) {
      mkdirSync(join(data, "workspaces", id), { recursive: true });
      writeFileSync(join(data, "workspaces", id, "a.txt"), "work");
      await host.blobs.put(id, Buffer.from("a long output"));
    }
    const kept = () =>
      readdirSync(data, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name));
    const before = kept();
    expect(before.filter((path) => path.includes(ended))).toHaveLength(2);
    await host.sessions.execute(ended, "end", { reason: "explicit" });
    host.clock.advance(30 * DAY);
    await host.sweep();
    expect(kept()).toEqual(before.filter((path) => !path.includes(ended)));
    rmSync(data, { recursive: true });
  });

  test("a time to live, where one is set, ends an idle session", async () => {
    const { host } = await finished();
    const id = await host.newSession({ policy: { sessionTtl: 2 * DAY } });
    host.clock.advance(2 * DAY - 1);
    await host.sweep();
    expect((await status(host, id)).lifecycle).not.toBe("ended");
    host.clock.advance(1);
    await host.sweep();
    expect((await status(host, id)).lifecycle).toBe("ended");
  });
});

test("a session open for a very long time loses nothing when it is opened again: a base and a tail", async () => {
  const words = Array.from({ length: 300 }, (_, n) => `word${n} `);
  const agent = scriptedAgent("demo", () => [
    ...words.flatMap((word, n) => [
      text(word),
      { type: "tool_started", toolCallId: `t${n}`, name: "n", input: n, gated: false } as const,
      { type: "tool_finished", toolCallId: `t${n}`, status: "completed", output: "" } as const,
    ]),
    done(),
  ]);
  const host = await testHost({ agents: [agent], policy: { ...still, baseEvery: 100 } });
  const id = await host.newSession();
  await host.sessions.execute(id, "prompt", { content: "hello" });
  await host.until(id, "run.completed");
  const next = await host.crash();
  const base = await next.journal.base(id);
  expect(base?.seq).toBeGreaterThan(500);
  const { transcript } = await next.sessions.open(id);
  const said = transcript.messages
    .at(-1)
    ?.contentParts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  expect(said?.join("")).toBe(words.join(""));
});
