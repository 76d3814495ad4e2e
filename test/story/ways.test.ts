import { once } from "node:events";
import { type Event, foldAll, type SessionView, seedWords } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { counted, kinds, textOf, World } from "./world.ts";

const says = (part: string) => (event: Event) =>
  event.kind === "text.appended" && event.text.includes(part);
const status = async (w: World, id: string) =>
  w.client.call("getStatus", { params: { sessionId: id } });
const resume = (w: World, id: string, body: Record<string, unknown> = {}) =>
  w.client.call("resumeSession", { params: { sessionId: id }, body });

/** A host for the tests of a block; `prepare` is done before the first of them. */
function world(prepare: (w: World) => Promise<void> = async () => {}): World {
  const w = new World({ pace: 10 });
  beforeAll(async () => {
    await w.start();
    await prepare(w);
  }, 60_000);
  afterAll(() => w.end());
  return w;
}

/** A new session that has done its first run. */
async function done(w: World, message = "/say first", over = {}): Promise<SessionView> {
  const session = await w.create(message, over);
  await w.untilKind(session.id, "run.completed");
  return session;
}

describe("a living host", () => {
  const w = world();

  test("a run without followers completes, and a later reader finds the whole message [R003-1] [R003-4] [R004-30] [R003-64] [F32] [U23]", async () => {
    const { id } = await w.create("/count=50");
    await expect.poll(async () => (await w.session(id)).status, { timeout: 15_000 }).toBe("idle");
    const { messages } = await w.client.call("getTranscript", { params: { sessionId: id } });
    const answer = messages.at(-1);
    expect(answer).toMatchObject({ role: "assistant", status: "completed" });
    expect(answer?.contentParts).toMatchObject([{ type: "text", text: counted(50) }]);
  });

  test("a run continues when its followers leave; only a cancel stops it [U23] [R003-2]", async () => {
    const { id } = await w.create("/count=100");
    await w.until(id, says("<20>"));
    const { currentRunId } = await w.session(id);
    await w.untilKind(id, "run.completed");
    expect(textOf(await w.events(id))).toBe(counted(100));
    const again = await w.client.call("cancelRun", { params: { runId: currentRunId ?? "" } });
    expect(again).toMatchObject({ success: false, run: { outcome: "completed" } });
  });

  test("a live run shows who and where it is, what it said and who follows, and can be changed and stopped [R002-63] [R003-32] [R003-33] [R003-30]", async () => {
    const { id, currentRunId } = await w.create("/count=1000");
    await w.until(id, says("<10>"));
    const run = await w.run(currentRunId ?? "");
    expect(run).toMatchObject({
      id: currentRunId,
      sessionId: id,
      status: "running",
      outcome: null,
    });
    expect(run.sandboxId).toMatch(/^sbx_/);
    expect(run.contentParts).toMatchObject([{ type: "text" }]);
    const followers = async () => (await w.run(run.id)).followers;
    await expect.poll(followers, { timeout: 10_000 }).toBe(0);
    const leave = new AbortController();
    const watched = w.client.follow({ session: id, after: 0, signal: leave.signal });
    await watched[Symbol.asyncIterator]().next();
    expect(await followers()).toBe(1);
    leave.abort();
    const { lastSeq } = await w.session(id);
    const told = heardBySocket(w, id, lastSeq, "session.renamed");
    await w.untilKind(id, "text.appended", lastSeq);
    await w.client.call("updateSession", {
      params: { sessionId: id },
      body: { title: "Counting" },
    });
    expect(await told).toContain("text.appended");
    expect(await w.session(id)).toMatchObject({
      title: "Counting",
      status: "running",
      currentRunId: run.id,
      lifecycle: "active",
    });
    await w.client.call("cancelRun", { params: { runId: run.id } });
    await w.untilKind(id, "run.cancelled");
    expect(await w.run(run.id)).toMatchObject({ status: "cancelled", isPaused: false });
  });

  test("a paused run continues as the same run when it is resumed by its id", async () => {
    const { id, currentRunId } = await w.create("/slow=20 /count=100");
    const runId = currentRunId ?? "";
    await w.until(id, says("<10>"));
    await w.client.call("pauseSession", { params: { sessionId: id } });
    expect(await w.run(runId)).toMatchObject({
      status: "paused",
      isPaused: true,
      completedAt: null,
    });
    const resumed = await w.client.call("resumeRun", { params: { runId } });
    expect(resumed).toMatchObject({ success: true, run: { id: runId, isPaused: false } });
    await w.untilKind(id, "run.completed");
    const run = await w.run(runId);
    expect(run).toMatchObject({ status: "completed", outcome: "completed", errorMessage: null });
    expect(Date.parse(run.completedAt ?? "")).toBeGreaterThan(Date.parse(run.startedAt));
  });

  test("a holder that is told to stop ends its turn as interrupted, not as failed [F24]", async () => {
    const { id } = await w.create("/count=400");
    await w.until(id, says("<20>"));
    process.kill(w.pids(id).holder ?? 0, "SIGTERM");
    await w.untilKind(id, "run.interrupted");
    const events = await w.events(id);
    expect(kinds(events, "run.failed")).toEqual([]);
    expect(kinds(events, "run.interrupted")).toHaveLength(1);
  });

  test("a question with a deadline is over when it was not answered in time, and the session takes the next message [R002-26] [R002-35] [R002-52] [R003-32]", async () => {
    const { id } = await w.create("/ask", { policy: { approvalDeadline: 1000 } });
    const asked = await w.untilKind(id, "run.waiting");
    expect(asked).toMatchObject({ deadlineAt: expect.any(String) });
    expect(await w.untilKind(id, "run.interrupted")).toMatchObject({ reason: "wait_timeout" });
    expect(await w.session(id)).toMatchObject({
      status: "interrupted_waiting",
      word: "interrupted",
    });
    expect(kinds(await w.events(id), "approval.withdrawn")).toHaveLength(1);
    expect(kinds(await w.events(id), "token.revoked")).toHaveLength(1);
    // The old run is really over: its agent answers the next prompt.
    const { run } = await w.send(id, "/say later");
    await w.until(id, (event) => event.kind === "run.completed" && event.runId === run?.id);
    expect(textOf(await w.events(id))).toContain("later");
  });
});

describe("after an orderly stop and a start", () => {
  let revivedOnOpen: SessionView;
  let byDefault: SessionView;
  let inReview: SessionView;
  let stepByStep: SessionView;
  let overSocket: SessionView;
  let hungUp: SessionView;
  let refusing: SessionView;
  let busy: SessionView;
  let before: unknown;
  let wordsBefore: unknown;
  let stopped: { code: unknown; holders: string[] };
  let started: string[];

  const w = world(async () => {
    [revivedOnOpen, byDefault, inReview, stepByStep, overSocket, hungUp, refusing] =
      await Promise.all([
        done(w, "/say first", { policy: { onOpen: "revive" } }),
        done(w),
        done(w),
        done(w),
        done(w),
        done(w),
        done(w, "/lie=capability"),
      ]);
    busy = await w.create("/count=400");
    await w.until(busy.id, says("<20>"));
    before = await status(w, revivedOnOpen.id);
    wordsBefore = (await status(w, inReview.id)).words;
    stopped = { code: await w.stop(), holders: w.holders() };
    await w.start();
    started = w.holders();
  });

  test("an orderly stop leaves open runs to their holders, ends idle agents, and loses no output [P31] [R001-41]", async () => {
    expect(stopped).toMatchObject({ code: 0, holders: [expect.any(String)] });
    expect(w.holders(busy.id)).toEqual(stopped.holders);
    await w.untilKind(busy.id, "run.completed");
    const events = await w.events(busy.id);
    expect(textOf(events)).toBe(counted(400));
    expect(kinds(events, "run.interrupted")).toEqual([]);
  });

  test("the resume's steps are durable in their order, and the status before it holds again after it [R004-16] [R004-21] [R004-22] [R004-28]", async () => {
    const { id } = stepByStep;
    const before = await w.session(id);
    const after = before.lastSeq;
    const { resume: how } = await resume(w, id);
    const steps = (await w.events(id)).slice(after).map(({ kind }) => kind);
    expect(steps).toEqual([
      ...["session.reviving", "holder.launched", "agent.ready", "session.resumed"],
      "receipt.issued",
    ]);
    const now = await w.session(id);
    expect(now.status).toBe(before.status);
    // The first host left only its files, so the second host's knowledge was stored.
    expect(how).toMatchObject({ rung: "native" });
    expect(before.runtime.agentSessionId).toEqual(expect.any(String));
    expect(now.runtime.agentSessionId).toBe(before.runtime.agentSessionId);
    expect(now.workspace).toEqual(before.workspace);
  });

  test("every session can be read in the words of documents 003 and 004, through a whole round [R003-17] [R004-12] [R004-26] [R004-47] [R004-59]", async () => {
    const { id } = inReview;
    const review = { session: "WAITING_FOR_INPUT", task: "REVIEW", isActive: true };
    const words = async () => (await status(w, id)).words;
    expect(wordsBefore).toEqual({
      generationStatus: "complete",
      generation: "completed",
      ...review,
    });
    expect(await words()).toMatchObject(review);
    const after = (await w.session(id)).lastSeq;
    await resume(w, id);
    expect(await words()).toMatchObject(review);
    // The state at that moment, rebuilt from the events.
    const events = await w.events(id);
    const reviving = kinds(events, "session.reviving").find(({ seq }) => seq > after);
    const then = foldAll(events.filter(({ seq }) => seq <= (reviving?.seq ?? 0)));
    expect(seedWords(then, { epoch: then.runtime.epoch })).toMatchObject({ session: "STARTING" });

    await w.send(id, "/ask");
    await w.untilKind(id, "run.waiting");
    expect(await words()).toEqual({
      generationStatus: "awaiting_approval",
      generation: "awaiting_approval",
      ...review,
    });
    const run = (await status(w, id)).run;
    const params = { runId: run?.id ?? "", approvalId: run?.pendingApproval?.id ?? "" };
    await w.client.call("decideApproval", { params, body: { decision: "allow" } });
    await w.untilKind(id, "run.completed", after);
    await w.send(id, "/slow=20 /count=300");
    await w.until(id, says("<10>"));
    expect(await words()).toEqual({
      generationStatus: "generating",
      generation: "running",
      isActive: true,
      session: "RUNNING",
      task: "IN_PROGRESS",
    });
    await w.client.call("endSession", { params: { sessionId: id } });
    expect(await words()).toMatchObject({ session: "CANCELLED", isActive: false });
  });

  test("status and resume work over the WebSocket as over HTTP [R004-60]", async () => {
    const { id } = overSocket;
    const socket = new WebSocket(`${w.url.replace("http", "ws")}/api/ws`, {
      headers: { authorization: `Bearer ${w.token}` },
    });
    await once(socket, "open");
    const ask = async (message: object): Promise<Record<string, unknown>> => {
      const answer = once(socket, "message");
      socket.send(JSON.stringify(message));
      return JSON.parse(String((await answer)[0]));
    };
    const said = await ask({ type: "status", session: id, id: "1" });
    expect(said).toEqual({ type: "status", session: id, id: "1", reply: await status(w, id) });
    const begun = await ask({ type: "resume", session: id, id: "2" });
    expect(begun).toMatchObject({ type: "resume", id: "2", reply: { session: { id } } });
    await w.untilKind(id, "session.resumed");
    const unknown = `sess_${"0".repeat(32)}`;
    expect(await ask({ type: "resume", session: unknown, id: "3" })).toMatchObject({
      type: "error",
      code: "session_not_found",
      request: "resume",
      id: "3",
    });
    socket.close();
  });

  test("a resume continues when its caller hangs up [F23] [R004-56] [R001-22]", async () => {
    const { id } = hungUp;
    const { lastSeq } = await w.session(id);
    const hangUp = new AbortController();
    const asked = fetch(`${w.url}/api/sessions/${id}/resume`, {
      method: "POST",
      headers: { authorization: `Bearer ${w.token}`, "content-type": "application/json" },
      body: "{}",
      signal: hangUp.signal,
    });
    await w.untilKind(id, "session.reviving", lastSeq);
    hangUp.abort();
    await expect(asked).rejects.toThrow();
    await w.untilKind(id, "session.resumed", lastSeq);
    expect(await w.session(id)).toMatchObject({ lifecycle: "active" });
  });

  test("a session whose agent refuses its old id still takes messages, with the history injected, and says so [R004-48]", async () => {
    const { id } = refusing;
    const { lastSeq } = await w.session(id);
    await w.send(id, "/say hello again");
    await w.untilKind(id, "run.completed", lastSeq);
    const events = (await w.events(id)).slice(lastSeq);
    expect(kinds(events, "session.resumed")).toMatchObject([{ rung: "injected" }]);
    expect(kinds(events, "agent.session_retired")).toHaveLength(1);
    expect(textOf(events)).toBe("hello again");
  });

  // The last test, because a status takes ten seconds to say that an agent is not running.
  test("sessions are paused, no agent is started for them, and status says how to come back [R001-36] [R004-2] [R004-46] [R004-8] [R004-10]", async () => {
    const { id } = revivedOnOpen;
    expect(before).toMatchObject({ needsResume: false, reason: "already_running" });
    expect(await w.session(id)).toMatchObject({ lifecycle: "paused" });
    expect(w.holders(id)).toEqual([]);
    expect(started).toEqual(stopped.holders);
    await expect
      .poll(async () => (await status(w, id)).reason, { timeout: 15_000 })
      .toBe("agent_not_running");
    expect(await status(w, id)).toMatchObject({
      needsResume: true,
      isResumable: true,
      nextRung: "native",
      workspaceOk: true,
    });
    // Finished work needs no agent, so the session stays done.
    expect(await status(w, byDefault.id)).toMatchObject({ needsResume: false, isResumable: true });
    expect(await w.session(byDefault.id)).toMatchObject({ lifecycle: "paused", word: "done" });
    const { session, resume: how } = await resume(w, id);
    expect(session).toMatchObject({ lifecycle: "active", status: "idle" });
    expect(how).toMatchObject({ rung: "native" });
  });
});

describe("after a kill and a start", () => {
  let cutOff: SessionView;
  let ended: SessionView;
  let cancelled: SessionView;
  let queued: SessionView;
  let unanswered: { id: string; runId: string | undefined };
  const body = { content: "/say once", clientId: "c-1" };

  const w = world(async () => {
    [cutOff, ended, cancelled, queued] = await Promise.all([
      w.create("/count=1000"),
      done(w),
      w.create("/count=3000"),
      w.create("/ask"),
    ]);
    await w.client.call("endSession", { params: { sessionId: ended.id } });
    await w.untilKind(queued.id, "run.waiting");
    for (const n of [1, 2, 3]) await w.send(queued.id, `/say queued ${n}`);
    await w.until(cancelled.id, says("<20>"));
    // A stopped holder takes no input from its host.
    process.kill(w.pids(cancelled.id).holder ?? 0, "SIGSTOP");
    await w.client.call("cancelRun", { params: { runId: cancelled.currentRunId ?? "" } });
    await w.until(cutOff.id, says("<20>"));
    cutOff = await w.session(cutOff.id);
    const { holder } = w.pids(cutOff.id);
    const { id } = await w.create();
    unanswered = { id, runId: (await w.send(id, body.content, body)).run?.id };
    await w.kill();
    process.kill(holder ?? 0, "SIGKILL");
    await w.start();
  });

  test("a cancel that is durable while the holder is stopped is delivered by the next host [F33] [P25]", async () => {
    const { id } = cancelled;
    expect(await w.session(id)).toMatchObject({ status: "running" });
    process.kill(w.pids(id).holder ?? 0, "SIGCONT");
    await w.untilKind(id, "run.cancelled");
    const events = await w.events(id);
    expect(kinds(events, "run.cancel_requested")).toHaveLength(1);
    expect(kinds(events, "run.interrupted")).toEqual([]);
  });

  test("followers learn of the interruption and of the derived word from the journal itself [R004-49]", async () => {
    const heard = await heardBySocket(w, cutOff.id, cutOff.lastSeq, "status.derived");
    expect(heard).toContain("run.interrupted");
    expect(heard.at(-1)).toBe("status.derived");
  });

  test("an ended session stays ended, and cannot be resumed [R001-25] [R004-18] [R001-38]", async () => {
    const { id } = ended;
    await expect(resume(w, id)).rejects.toMatchObject({ status: 410, code: "session_ended" });
    await expect(w.send(id, "hello?")).rejects.toMatchObject({ status: 410 });
    await expect.poll(() => w.holders(id)).toEqual([]);
  });

  test("a message whose answer was lost is sent again and counts once [F26] [R003-25]", async () => {
    const { id } = unanswered;
    const again = await w.send(id, body.content, body);
    expect(again.run?.id).toBe(unanswered.runId);
    await w.untilKind(id, "run.completed");
    const events = await w.events(id);
    expect(kinds(events, "message.user")).toHaveLength(1);
    expect(textOf(events)).toBe("once");
  });

  test("queued messages survive a kill, in order, each delivered once; after a cancel they stay parked [F25]", async () => {
    const { id, currentRunId } = queued;
    const { pendingApproval } = await w.run(currentRunId ?? "");
    await w.client.call("decideApproval", {
      params: { runId: currentRunId ?? "", approvalId: pendingApproval?.id ?? "" },
      body: { decision: "approve" },
    });
    await w.until(id, says("queued 3"));
    const said = textOf(await w.events(id)).match(/queued \d/g);
    expect(said).toEqual(["queued 1", "queued 2", "queued 3"]);
  });
});

/**
 * Kinds of the session's events after a seq, received by WebSocket, up to the first of kind `last`.
 */
function heardBySocket(w: World, session: string, after: number, last: string): Promise<string[]> {
  const socket = new WebSocket(`${w.url.replace("http", "ws")}/api/ws`, {
    headers: { authorization: `Bearer ${w.token}` },
  });
  const heard: string[] = [];
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => socket.send(JSON.stringify({ type: "subscribe", session, after })));
    socket.on("message", (data) => {
      const { events = [] } = JSON.parse(String(data)) as { events?: { kind: string }[] };
      heard.push(...events.map(({ kind }) => kind));
      if (heard.includes(last)) {
        socket.terminate();
        resolve(heard);
      }
    });
  });
}
