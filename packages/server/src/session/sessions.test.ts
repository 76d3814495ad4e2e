import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Event, foldAll, HostError, type SessionId } from "@holdfast/protocol";
import { decodeEvents } from "@holdfast/protocol/schemas";
import { describe, expect, test } from "vitest";
import { wireHost } from "../host.ts";
import { scriptedAgent } from "../testing/scripted-agent.ts";
import { type TestHost, testHost } from "../testing/test-host.ts";
import type { CallerSessions } from "./sessions.ts";

const stalled = () => scriptedAgent("demo", () => [{ type: "stall" }]);

async function code(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  return error instanceof HostError ? error.code : String(error);
}

async function collect(host: TestHost, session: SessionId, after: number, until: number) {
  const seqs: number[] = [];
  for await (const followed of host.sessions.follow(session, after, { limit: 3 })) {
    if (followed.type === "reset") continue;
    for (const event of decodeEvents(followed.slice.bytes)) seqs.push(event.seq);
    if ((seqs.at(-1) ?? 0) >= until) break;
  }
  return seqs;
}

describe("commands", () => {
  test("a command to an unknown session is refused and appends no event", async () => {
    const host = await testHost();
    const missing = host.sessions.newId("session");
    expect(await code(host.sessions.execute(missing, "rename", { title: "x" }))).toBe(
      "session_not_found",
    );
    expect(await code(host.sessions.state("../../etc" as SessionId))).toBe("session_not_found");
    expect(await host.journal.standing(missing)).toBeNull();
  });

  test("bad input to a command writes no event", async () => {
    const host = await testHost();
    const id = await host.newSession();
    expect(await code(host.sessions.execute(id, "prompt", { content: "" }))).toBe("bad_input");
    const huge = "x".repeat(200_000);
    expect(await code(host.sessions.execute(id, "prompt", { content: huge }))).toBe("too_large");
    expect((await host.sessions.state(id)).seq).toBe(1);
  });

  test("a caller may give an intent, but no report", async () => {
    const { sessions, newSession } = await testHost();
    const id = await newSession();
    const callers: CallerSessions = sessions;
    expect((await callers.ask(id, "rename", { title: "New" })).state.title).toBe("New");
    // @ts-expect-error agentExited is a report.
    expect(await code(callers.ask(id, "agentExited", { reason: "exit" }))).toBe("bad_input");
    // @ts-expect-error toString is no command.
    expect(await code(callers.ask(id, "toString", {}))).toBe("bad_input");
    // @ts-expect-error Only the host itself executes reports.
    expect(callers.execute).toBeDefined();
    expect((await sessions.state(id)).seq).toBe(2);
  });

  test("[P5] a send repeated with its client id is stored once, also long after", async () => {
    const host = await testHost({ agents: [stalled()], policy: { queue: 200 } });
    const id = await host.newSession();
    for (let n = 0; n < 90; n++) {
      const send = () =>
        host.sessions.execute(id, "prompt", { content: `m${n}`, clientId: `c${n}` });
      await Promise.all([send(), send(), send()]);
    }
    const before = await host.events(id);
    const again = await host.sessions.execute(id, "prompt", { content: "m0", clientId: "c0" });
    expect(again.events).toEqual([]);
    expect(await host.events(id)).toEqual(before);
    const messages = before.filter((e) => e.kind === "message.user" || e.kind === "message.queued");
    expect(messages).toHaveLength(90);
  });

  test("[R002-17] [P4] concurrent commands of one session get dense seqs in order", async () => {
    const host = await testHost();
    const id = await host.newSession();
    const rename = (n: number) => host.sessions.execute(id, "rename", { title: `t${n}` });
    const done = await Promise.all(Array.from({ length: 200 }, (_, n) => rename(n)));
    expect(done.map(({ events }) => events[0]?.seq)).toEqual(
      Array.from({ length: 200 }, (_, n) => n + 2),
    );
    expect((await host.events(id)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 201 }, (_, n) => n + 1),
    );
  });

  test("[RX-2] [P6] after a newer boot took over, every decision in flight fails as fenced", async () => {
    const host = await testHost();
    const id = await host.newSession();
    const next = await host.crash();
    const late = [1, 2, 3].map((n) => host.sessions.execute(id, "rename", { title: `late ${n}` }));
    expect(await Promise.all(late.map(code))).toEqual(["fenced", "fenced", "fenced"]);
    expect((await host.sessions.state(id)).title).toBe("A session");
    await next.sessions.execute(id, "rename", { title: "new owner" });
    expect((await next.events(id)).map(({ kind }) => kind)).toEqual([
      "session.created",
      "session.renamed",
    ]);
  });

  test("a repeated or refused command answers only when what it was decided on is durable", async () => {
    const host = await testHost({ agents: [stalled()] });
    const id = await host.newSession();
    const send = async () => {
      const { state } = await host.sessions.execute(id, "prompt", { content: "hi", clientId: "c" });
      const standing = await host.journal.standing(id);
      return state.run !== null && (standing?.seq ?? 0) >= state.seq;
    };
    expect(await Promise.all([send(), send()])).toEqual([true, true]);
  });
});

describe("a batch the store refuses", () => {
  const asking = () =>
    scriptedAgent("demo", () => [
      { type: "permission", toolCallId: "t1", toolName: "a", input: 1 },
      { type: "permission", toolCallId: "t2", toolName: "b", input: 2 },
      { type: "stall" },
    ]);

  test("costs its own sender only: what stood behind it is decided again", async () => {
    const host = await testHost({ agents: [asking()] });
    const id = await host.newSession();
    await host.sessions.execute(id, "prompt", { content: "go" });
    const { runId } = await host.until(id, "approval.requested", 2);
    const decide = (toolCallId: string) =>
      host.sessions.execute(id, "decide", {
        runId,
        toolCallId,
        by: "ann",
        key: "same key",
        decision: "allow",
      });
    await decide("t1");
    const refused = decide("t2");
    const output = [{ type: "text", text: "said meanwhile" }] as const;
    const behind = host.sessions.execute(id, "record", { runId, attempt: 1, output: [...output] });
    expect(await code(refused)).toBe("already_done");
    expect((await behind).events).toMatchObject([{ kind: "text.appended" }]);
    expect((await host.sessions.state(id)).run?.outcome).toBeNull();
    await host.close();
  });

  test("and moves no event is never followed by one that is durable and called failed", async () => {
    const host = await testHost({ agents: [stalled()] });
    const id = await host.newSession();
    const holder = host.sessions.newId("holder");
    const cursor = { holder, from: 5, to: 6 };
    const moved = host.sessions.execute(id, "announce", {}, cursor);
    const sent = host.sessions.execute(id, "prompt", { content: "hello" });
    const [first, second] = await Promise.allSettled([moved, sent]);
    const durable = (await host.events(id)).some(({ kind }) => kind === "message.user");
    expect(second.status === "fulfilled").toBe(durable);
    expect(durable).toBe(true);
    expect(first).toMatchObject({ status: "rejected", reason: { code: "cursor_conflict" } });
    await host.until(id, "attempt.accepted");
    await host.close();
  });

  test("a resume repeated by its owner's key is one resume; a token is judged every time", async () => {
    const deadlineAt = "2026-01-01T01:00:00.000Z";
    const agent = scriptedAgent("demo", () => [
      { type: "await", kind: "external", deadlineAt },
      { type: "stall" },
    ]);
    const host = await testHost({ agents: [agent] });
    const id = await host.newSession();
    await host.sessions.execute(id, "prompt", { content: "go" });
    const { runId } = await host.until(id, "run.waiting");
    await host.until(id, "token.minted");
    const resume = (extra: object) =>
      host.sessions.execute(id, "resumeWait", { runId, by: "ann", key: "k", ...extra });
    await resume({});
    expect((await resume({})).events).toEqual([]);
    const forged = { id: host.sessions.newId("token"), runId, hash: "0".repeat(64) };
    expect(await code(resume({ token: forged }))).toBe("token_invalid");
    expect(await code(resume({ runId: host.sessions.newId("run") }))).toBe("run_not_found");
    await host.close();
  });
});

describe("states in memory", () => {
  test("[P14] [R002-21] a dropped state rebuilt from the journal equals the one that was folded live", async () => {
    const host = await testHost({
      agents: [stalled()],
      policy: { baseEvery: 20, queue: 90, sweep: 3_600_000 },
    });
    const id = await host.newSession();
    for (let n = 0; n < 70; n++) await host.sessions.execute(id, "prompt", { content: `m${n}` });
    const live = await host.sessions.state(id);
    host.clock.advance(10 * 60_000);
    expect(await host.sessions.dropIdle()).toBe(1);
    expect(host.sessions.loaded).toBe(0);
    expect(await host.journal.base(id)).not.toBeNull();
    expect(await host.sessions.state(id)).toEqual(live);
    expect(foldAll(await host.events(id))).toEqual(live);
  });

  test("states in memory are bounded however many sessions are used", async () => {
    const host = await testHost({ policy: { idleStates: 10 } });
    for (let n = 0; n < 50; n++) await host.newSession();
    await host.sessions.dropIdle();
    expect(host.sessions.loaded).toBe(10);
  });
});

describe("followers", () => {
  test("[RX-5] replay and live are one path: no gap, no duplicate, from any seq", async () => {
    const host = await testHost();
    const id = await host.newSession();
    const followers = [0, 0, 1].map((after) => ({
      after,
      seqs: collect(host, id, after, 101),
    }));
    for (let n = 0; n < 100; n++) await host.sessions.execute(id, "rename", { title: `t${n}` });
    followers.push({ after: 50, seqs: collect(host, id, 50, 101) });
    for (const { after, seqs } of followers) {
      expect(await seqs).toEqual(Array.from({ length: 101 - after }, (_, n) => after + n + 1));
    }
  });

  test("a cursor in the future is an error, not a silent wait", async () => {
    const host = await testHost();
    const id = await host.newSession();
    expect(await code(collect(host, id, 7, 8))).toBe("cursor_ahead");
  });

  test("[F29] below retention a follower gets a reset with the base, then goes on", async () => {
    const host = await testHost();
    const id = await host.newSession();
    for (let n = 0; n < 30; n++) await host.sessions.execute(id, "rename", { title: `t${n}` });
    const { state, chain, transcript } = await host.sessions.open(id);
    const base = {
      seq: state.seq,
      chain,
      state: JSON.stringify(state),
      transcript: JSON.stringify(transcript),
    };
    await host.journal.putBase(id, base);
    await host.journal.trim(id, state.seq);
    await host.sessions.execute(id, "rename", { title: "after" });
    const seen: unknown[] = [];
    for await (const followed of host.sessions.follow(id, 3)) {
      seen.push(followed.type === "reset" ? followed.base.seq : followed.slice.firstSeq);
      if (followed.type === "events") break;
    }
    expect(seen).toEqual([31, 32]);
  });

  test("a follower that stops reading blocks no one and costs no memory", async () => {
    const host = await testHost();
    const id = await host.newSession();
    const stuck = host.sessions.follow(id, 0);
    await stuck.next();
    for (let n = 0; n < 500; n++) await host.sessions.execute(id, "rename", { title: `t${n}` });
    expect(host.sessions.followers(id)).toBe(1);
    const next = await stuck.next();
    expect(next.value).toMatchObject({ type: "events", slice: { firstSeq: 2 } });
    await stuck.return(undefined);
    expect(host.sessions.followers(id)).toBe(0);
  });

  test("followers end when the host closes", async () => {
    const host = await testHost();
    const id = await host.newSession();
    const reading = (async () => {
      let slices = 0;
      for await (const _ of host.sessions.follow(id, 0)) slices++;
      return slices;
    })();
    await host.close();
    expect(await reading).toBeLessThanOrEqual(1);
  });

  test("an aborted follower ends at once and is no longer counted", async () => {
    const host = await testHost();
    const id = await host.newSession();
    const abort = new AbortController();
    const seen: Event[] = [];
    const reading = (async () => {
      for await (const followed of host.sessions.follow(id, 0, { signal: abort.signal })) {
        if (followed.type === "events") seen.push(...decodeEvents(followed.slice.bytes));
        abort.abort();
      }
    })();
    await reading;
    expect(seen).toHaveLength(1);
    expect(host.sessions.followers(id)).toBe(0);
  });
});

test("the same session layer runs on SQLite", async () => {
  const data = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
  const host = await wireHost({ data });
  const id = host.sessions.newId("session");
  const input = { sessionId: id, tenant: "local", title: "On disk", agentName: "demo" };
  await host.sessions.execute(id, "create", input);
  await host.close();
  const again = await wireHost({ data });
  expect((await again.sessions.state(id)).title).toBe("On disk");
  expect(again.journal.epoch).toBe(host.journal.epoch + 1);
  await again.close();
});
