import { describe, expect, test } from "vitest";
import type { EventBody } from "./events.ts";
import { foldAll } from "./fold.ts";
import type { SessionState } from "./session.ts";
import { attempt, created, journal, running, started, text, ts, user } from "./testing/states.ts";
import { transcriptOf } from "./transcript/transcript.ts";
import {
  continuableRun,
  damagedView,
  latestRun,
  queueView,
  runView,
  sessionView,
  startedRun,
  statusView,
} from "./views.ts";
import type { OnOpen } from "./vocabulary.ts";
import { shapes } from "./wire/shapes.ts";

const epoch = 1;
const stateOf = (...bodies: EventBody[]): SessionState => foldAll(journal(...bodies));
const viewOf = (...bodies: EventBody[]) => sessionView(stateOf(...bodies), { epoch });

function runOf(...bodies: EventBody[]) {
  const events = journal(...bodies);
  const transcript = transcriptOf(events);
  const record = transcript.runs.at(-1);
  if (record === undefined) throw new Error("no run");
  return runView(foldAll(events), transcript, record, { epoch, followers: 2 });
}

const ready: EventBody = { kind: "agent.ready", agentSessionId: "a1", holderId: null, epoch };
const exited: EventBody = { kind: "agent.exited", reason: "gone" };
const completed: EventBody = { kind: "run.completed", runId: "run_1", stopReason: "end_turn" };
const cancelled: EventBody = { kind: "run.cancelled", runId: "run_1", reason: "user" };
const failed: EventBody = {
  kind: "run.failed",
  runId: "run_1",
  error: { code: "overloaded", message: "Too busy" },
};
const interrupted: EventBody = {
  kind: "run.interrupted",
  runId: "run_1",
  reason: "process_restart",
  bootId: "boot_2",
};
const asked: EventBody = {
  kind: "approval.requested",
  runId: "run_1",
  attempt: 1,
  approvalId: "appr_1",
  toolCallId: "t1",
  toolName: "bash",
  input: { cmd: "rm x" },
  digest: "d1",
  askedBy: null,
};
const waiting: EventBody = {
  kind: "run.waiting",
  runId: "run_1",
  waitId: "wait_1",
  waitKind: "human",
  epoch,
  resumeTokenId: "rt_1",
  deadlineAt: null,
  approvalId: "appr_1",
};
const asking = [...running, asked, waiting] as const;

describe("a session", () => {
  test("[R001-29] says who runs it, where, and how it is", () => {
    const sandbox: EventBody = { kind: "sandbox.ready", sandboxId: "sbx_1", provider: "process" };
    const view = viewOf(created, sandbox, ready);
    expect(shapes.Session.parse(view)).toMatchObject({
      id: "sess_1",
      agentName: "demo",
      sandboxId: "sbx_1",
      lifecycle: "active",
    });
    expect(view.runtime).toMatchObject({
      state: "live",
      agentSessionId: "a1",
      sandbox: { id: "sbx_1", provider: "process", state: "ready" },
    });
  });

  test("[R001-32] goes from creating to active, paused, active again and ended", () => {
    const story: [EventBody, string][] = [
      [created, "creating"],
      [ready, "active"],
      [{ kind: "session.paused", reason: "explicit" }, "paused"],
      [exited, "paused"],
      [{ kind: "session.reviving", mode: "revive", epoch }, "paused"],
      [
        { kind: "session.resumed", rung: "native", ms: 1, grade: null, epoch, bootId: "boot_1" },
        "active",
      ],
      [{ kind: "session.ended", reason: "explicit" }, "ended"],
    ];
    const words = story.map(
      (_, i) => viewOf(...story.slice(0, i + 1).map(([body]) => body)).lifecycle,
    );
    expect(words).toEqual(story.map(([, word]) => word));
  });

  test("is paused in a later boot, without any event", () => {
    const state = stateOf(created, ready);
    const view = sessionView(state, { epoch: epoch + 1 });
    expect(view).toMatchObject({ lifecycle: "paused", runtime: { state: "none" } });
  });

  test("[R003-18] names its current run, and afterwards its last one", () => {
    expect(viewOf(created).currentRunId).toBeNull();
    expect(viewOf(...running).currentRunId).toBe("run_1");
    expect(viewOf(...running, completed).currentRunId).toBe("run_1");
  });

  test("[R002-56] carries what recovery found", () => {
    expect(viewOf(...running, interrupted)).toMatchObject({
      status: "interrupted_startup",
      recovery: {
        lastBootSeen: "boot_2",
        interruption: { runId: "run_1", reason: "process_restart" },
      },
    });
  });

  test("was last active when someone wrote or an agent spoke, not when a host looked", () => {
    const quiet: EventBody = { kind: "session.renamed", title: "Other" };
    const view = viewOf(...running, text("hi"), completed, quiet);
    expect(view.updatedAt).toBe(ts(6));
    expect(view.lastActiveAt).toBe(ts(5));
    expect(viewOf(created, quiet).lastActiveAt).toBe(ts(0));
    const spoke: EventBody = { kind: "agent.spoke", text: "By the way." };
    expect(viewOf(created, quiet, spoke, quiet).lastActiveAt).toBe(ts(2));
  });

  test("was last active when a start failed", () => {
    const error = { code: "launch_failed", message: "No such program." };
    const unstarted: EventBody = { kind: "session.revive_failed", error };
    expect(viewOf(created, unstarted, { ...unstarted }).lastActiveAt).toBe(ts(2));
  });

  test("that cannot be folded is shown by its columns, as damaged", () => {
    const columns = {
      id: "sess_1",
      title: "T",
      agentName: "demo",
      lastSeq: 9,
      createdAt: ts(0),
      updatedAt: ts(1),
    };
    const view = damagedView(columns, { reason: "checksum", readableTo: 4 });
    expect(shapes.Session.parse(view)).toMatchObject({
      ...columns,
      lastActiveAt: columns.updatedAt,
      lifecycle: "paused",
      damage: { reason: "checksum", readableTo: 4 },
    });
  });

  test("shows the latest happening; an open question or an error takes precedence", () => {
    expect(viewOf(...running).happening).toBeNull();
    const said = { kind: "said", text: "Hello" };
    expect(viewOf(...running, text("Hel"), text("lo"), completed).happening).toEqual(said);
    const question = { kind: "asks", text: 'bash cmd: "rm x"' };
    expect(shapes.Session.parse(viewOf(...asking)).happening).toEqual(question);
    const decided: EventBody = {
      kind: "approval.decided",
      runId: "run_1",
      approvalId: "appr_1",
      decision: "deny",
      by: "user",
    };
    expect(viewOf(...running, text("Hello"), asked, decided).happening).toEqual(said);
    const end = { kind: "failed", text: "Too busy" };
    expect(viewOf(...running, text("Hello"), failed).happening).toEqual(end);
    const next = [user("msg_2"), started("run_2", "msg_2")];
    expect(viewOf(...running, text("Hello"), failed, ...next).happening).toBeNull();
  });

  test("shows its queue in order", () => {
    const queued = (messageId: string): EventBody => ({
      kind: "message.queued",
      messageId,
      content: messageId,
      clientId: `c-${messageId}`,
    });
    const state = stateOf(...running, queued("msg_2"), queued("msg_3"));
    expect(queueView(state).map((view) => shapes.QueuedMessage.parse(view).id)).toEqual([
      "msg_2",
      "msg_3",
    ]);
    expect(sessionView(state, { epoch }).queued).toBe(2);
  });
});

describe("a run", () => {
  test("[R003-20] has one status word", () => {
    const paused: EventBody = { kind: "run.paused", runId: "run_1", reason: "waiting" };
    expect(runOf(...running).status).toBe("running");
    expect(runOf(...asking).status).toBe("awaiting_approval");
    expect(runOf(...asking, paused).status).toBe("paused");
    expect(runOf(...running, completed).status).toBe("completed");
    expect(runOf(...running, cancelled).status).toBe("cancelled");
    expect(runOf(...running, failed).status).toBe("error");
    expect(runOf(...running, interrupted).status).toBe("interrupted");
  });

  test("[R003-21] shows what it said so far, as its message does", () => {
    const events = journal(...running, text("Hel"), text("lo"));
    const transcript = transcriptOf(events);
    const run = runOf(...running, text("Hel"), text("lo"));
    expect(shapes.Run.parse(run).contentParts).toEqual([
      { type: "text", seq: 5, attempt: 1, text: "Hello" },
    ]);
    expect(run.contentParts).toEqual(transcript.messages.at(-1)?.contentParts);
  });

  test("[R003-22] shows the question it waits for, until it is answered", () => {
    expect(runOf(...asking).pendingApproval).toEqual({
      id: "appr_1",
      toolUseId: "t1",
      toolName: "bash",
      toolInput: { cmd: "rm x" },
      inputBlob: null,
      inputPreview: null,
      digest: "d1",
      options: [],
      exact: true,
    });
    const decided: EventBody = {
      kind: "approval.decided",
      runId: "run_1",
      approvalId: "appr_1",
      decision: "allow",
      by: "me",
    };
    expect(runOf(...asking, decided).pendingApproval).toBeNull();
    expect(runOf(...asking, cancelled).pendingApproval).toBeNull();
  });

  test("shows why it asks again, with the input that was answered before", () => {
    const [question] = asking.filter((event) => event.kind === "approval.requested");
    if (question?.kind !== "approval.requested") throw new Error("no question");
    const again: EventBody = {
      ...question,
      approvalId: "appr_2",
      input: { cmd: "rm y" },
      digest: "d2",
      askedAgain: { reason: "input_changed", approvalId: "appr_1", decision: "allow" },
    };
    const decided: EventBody = {
      kind: "approval.decided",
      runId: "run_1",
      approvalId: "appr_1",
      decision: "allow",
      by: "me",
    };
    expect(runOf(...asking, decided, again).pendingApproval).toMatchObject({
      toolInput: { cmd: "rm y" },
      askedAgain: {
        reason: "input_changed",
        approvalId: "appr_1",
        decision: "allow",
        before: { cmd: "rm x" },
        files: [],
      },
    });
  });

  test("[R003-23] [R003-24] carries its message, sandbox, pause, error, tokens and times", () => {
    const sandbox: EventBody = { kind: "sandbox.ready", sandboxId: "sbx_1", provider: "process" };
    const usage: EventBody = {
      kind: "usage.reported",
      runId: "run_1",
      attempt: 1,
      inputTokens: 3,
      outputTokens: 5,
    };
    expect(runOf(...running, sandbox, usage, failed)).toMatchObject({
      id: "run_1",
      sessionId: "sess_1",
      messageId: "msg_1",
      sandboxId: "sbx_1",
      isPaused: false,
      errorMessage: "Too busy",
      inputTokens: 3,
      outputTokens: 5,
      startedAt: ts(2),
      completedAt: ts(6),
      followers: 2,
    });
    expect(runOf(...running).completedAt).toBeNull();
  });

  test("[R003-19] names its reply once that is complete, and never before", () => {
    expect(runOf(...running, text("so far")).replyId).toBeNull();
    const events = journal(...running, text("all"), completed);
    const reply = transcriptOf(events).messages.at(-1);
    expect(reply).toMatchObject({ role: "assistant", status: "completed" });
    expect(runOf(...running, text("all"), completed).replyId).toBe(reply?.id);
    for (const end of [failed, cancelled, interrupted]) {
      expect(runOf(...running, text("some"), end).replyId).toBe(reply?.id);
    }
    const paused: EventBody = { kind: "run.paused", runId: "run_1", reason: "abandoned" };
    expect(runOf(...running, paused)).toMatchObject({ isPaused: true, pausedReason: "abandoned" });
  });

  test("names no reply of a run without output, in the full and the short view", () => {
    const tried: EventBody = {
      kind: "attempt.failed",
      runId: "run_1",
      attempt: 1,
      error: { code: "overloaded", message: "Too busy", transient: true },
    };
    const short = (...bodies: EventBody[]) => latestRun(foldAll(journal(...bodies)), { epoch });
    for (const end of [completed, failed, cancelled, interrupted]) {
      expect(runOf(...running, tried, end).replyId).toBeNull();
      expect(short(...running, tried, end)?.replyId).toBeNull();
      expect(short(...running, text("some"), end)?.replyId).not.toBeNull();
    }
  });

  test("that is not the latest shows its own outcome and output, not those of the latest run", () => {
    const events = journal(
      ...running,
      text("one"),
      failed,
      user("msg_2"),
      started("run_2", "msg_2"),
      attempt(1, "run_2"),
      { ...asked, runId: "run_2" },
    );
    const transcript = transcriptOf(events);
    const first = transcript.runs[0];
    if (first === undefined) throw new Error("no run");
    const view = runView(foldAll(events), transcript, first, { epoch, followers: 0 });
    expect(view).toMatchObject({
      status: "error",
      pendingApproval: null,
      contentParts: [{ type: "text", text: "one" }],
    });
  });

  test("looks the same from the state alone as from the transcript", () => {
    const { contentParts, followers, ...shown } = runOf(...asking);
    expect(latestRun(stateOf(...asking), { epoch })).toEqual(shown);
    expect(startedRun(stateOf(...running), { epoch, followers: 2 })).toEqual(runOf(...running));
    expect(contentParts).toHaveLength(0);
    expect(followers).toBe(2);
  });

  test("is continued only when no person stopped it", () => {
    expect(continuableRun(stateOf(...running))).toBeNull();
    expect(continuableRun(stateOf(...running, interrupted))).toBe("run_1");
    expect(continuableRun(stateOf(...running, failed))).toBe("run_1");
    expect(continuableRun(stateOf(...running, cancelled))).toBeNull();
    expect(continuableRun(stateOf(...running, completed))).toBeNull();
  });
});

test("a question and its session keep their times when another host adopts the run", () => {
  const adopted: EventBody = { kind: "run.adopted", runId: "run_1", epoch: 2, bootId: "boot_2" };
  const [before, after] = [viewOf(...asking), viewOf(...asking, adopted)];
  expect(after.updatedAt).not.toBe(before.updatedAt);
  expect(after.lastActiveAt).toBe(before.lastActiveAt);
  expect(before.need).toMatchObject({ kind: "waiting" });
  expect(after.need).toEqual(before.need);
});

describe("whether a resume is needed", () => {
  const staleWindow = 10_000;
  const moment = {
    epoch,
    now: Date.parse(ts(100)),
    staleWindow,
    workspaceOk: true,
    hasLeftOut: false,
    nextRung: null,
    onOpen: "revive" as OnOpen,
  };
  const statusOf = (bodies: EventBody[], change: Partial<typeof moment> = {}) =>
    shapes.Status.parse(statusView(stateOf(...bodies), { ...moment, ...change }));

  test("[R004-8] [R004-55] not while its agent is up, or on its way", () => {
    const no = { needsResume: false, isResumable: true, reason: "already_running" };
    expect(statusOf([created, ready])).toMatchObject(no);
    expect(
      statusOf([created, { kind: "holder.launched", holderId: "hold_1", epoch }]),
    ).toMatchObject(no);
  });

  test("[R004-9] [R004-55] not right after its agent was seen going", () => {
    const gone = Date.parse(ts(2));
    const bodies = [created, ready, exited];
    expect(statusOf(bodies, { now: gone + staleWindow - 1 })).toMatchObject({
      needsResume: false,
      isResumable: true,
      reason: "stale_execution",
    });
    expect(statusOf(bodies, { now: gone + staleWindow }).reason).toBe("agent_not_running");
    // A clock that was set back by an hour must not delay a resume by an hour.
    expect(statusOf(bodies, { now: gone - 3_600_000 }).reason).toBe("agent_not_running");
  });

  test("[R004-10] [R004-55] when its agent is gone and can find its own session again", () => {
    const yes = { needsResume: true, isResumable: true, reason: "agent_not_running" };
    expect(statusOf([created, ready, exited])).toMatchObject(yes);
    // In a later boot the agent counts as gone, without an event.
    expect(statusOf([created, ready], { epoch: epoch + 1 })).toMatchObject(yes);
    const frozen: EventBody[] = [
      { kind: "sandbox.ready", sandboxId: "sbx_1", provider: "process" },
      { kind: "sandbox.frozen", sandboxId: "sbx_1" },
    ];
    expect(statusOf([created, ready, ...frozen])).toMatchObject(yes);
    const paused: EventBody = { kind: "session.paused", reason: "explicit" };
    expect(statusOf([created, ready, paused])).toMatchObject(yes);
  });

  test("[R004-11] [R004-55] when its agent is gone and can only start afresh", () => {
    const nameless: EventBody = { ...ready, agentSessionId: null } as EventBody;
    expect(statusOf([created, nameless, exited])).toMatchObject({
      needsResume: true,
      isResumable: true,
      reason: "agent_not_running_fresh_start",
    });
  });

  test("[R004-13] never once it has ended, and always possible after a run failed", () => {
    const ended: EventBody = { kind: "session.ended", reason: "explicit" };
    expect(statusOf([created, ready, exited, ended])).toMatchObject({
      needsResume: false,
      isResumable: false,
      reason: "ended",
    });
    for (const outcome of [failed, cancelled, completed]) {
      expect(statusOf([...running, ready, outcome, exited])).toMatchObject({
        needsResume: true,
        isResumable: true,
      });
    }
  });

  test("not while it is unknown whether its processes live", () => {
    const lost: EventBody = { kind: "run.unreachable", runId: "run_1", holderId: null };
    expect(statusOf([...running, ready, lost])).toMatchObject({
      needsResume: false,
      isResumable: false,
      reason: "unreachable",
      notice: { code: "unreachable" },
    });
  });

  test("by the policy: never with `read`, where work waits or was cut off with `needed`", () => {
    const idle = [created, ready, exited];
    const over = [completed, cancelled, failed].map((end) => [...running, ready, end, exited]);
    const wanted = [
      [...running, ready, asked, waiting, exited],
      [...running, ready, interrupted, exited],
    ];
    const needs = (bodies: EventBody[], onOpen: OnOpen) => statusOf(bodies, { onOpen }).needsResume;
    for (const bodies of [idle, ...over]) {
      expect([needs(bodies, "needed"), needs(bodies, "revive")]).toEqual([false, true]);
      expect(statusOf(bodies, { onOpen: "needed" })).toMatchObject({
        isResumable: true,
        reason: "agent_not_running",
      });
    }
    for (const bodies of wanted) expect(needs(bodies, "needed")).toBe(true);
    for (const bodies of [idle, ...over, ...wanted]) expect(needs(bodies, "read")).toBe(false);
    const dismissed: EventBody = { kind: "run.dismissed", runId: "run_1" };
    expect(needs([...running, ready, interrupted, exited, dismissed], "needed")).toBe(false);
  });

  test("not before anything ever ran", () => {
    expect(statusOf([created])).toMatchObject({ needsResume: false, reason: null });
  });

  test("is not possible where a person's own folder is gone, and says so", () => {
    const path = "/home/me/work";
    const workspace = { kind: "in-place", path, branch: null };
    const inPlace = { ...created, workspace } as EventBody;
    expect(statusOf([inPlace, ready, exited], { workspaceOk: false })).toMatchObject({
      needsResume: false,
      isResumable: false,
      notice: { code: "workspace_missing", message: expect.stringContaining(path) },
    });
  });

  test("is possible where a folder of the host's making is gone, is not done by opening, and says what it does", () => {
    const gone = { workspaceOk: false, onOpen: "revive" } as const;
    expect(statusOf([created, ready, exited], gone)).toMatchObject({
      needsResume: false,
      isResumable: true,
      workspaceOk: false,
      notice: { code: "workspace_missing", message: expect.stringContaining("new, empty folder") },
    });
    const { notice } = statusOf([created, ready], gone);
    expect(notice?.message).toContain("or resume: the agent then gets");
    const working = statusOf([...running], gone);
    expect(working.notice?.message).toContain("or stop the run and resume: the agent then gets");
  });

  test("says that long outputs are truncated, unless a worse notice comes first", () => {
    const full = { hasLeftOut: true };
    expect(statusOf([...running], full).notice).toMatchObject({ code: "output_limit" });
    expect(statusOf([...running], { ...full, workspaceOk: false }).notice).toMatchObject({
      code: "workspace_missing",
    });
    const ended: EventBody = { kind: "session.ended", reason: "explicit" };
    expect(statusOf([created, ended], full).notice).toBeNull();
  });

  test("comes with the run, its wait and what a person should know", () => {
    expect(statusOf([...asking])).toMatchObject({
      run: { id: "run_1", status: "awaiting_approval", pendingApproval: { id: "appr_1" } },
      wait: { id: "wait_1", kind: "human", since: ts(5), deadlineAt: null, approvalId: "appr_1" },
      notice: null,
    });
    const silent: EventBody = { kind: "run.silent", runId: "run_1", since: ts(3) };
    expect(statusOf([...running, silent]).notice).toMatchObject({ code: "silent" });
    const refused: EventBody = {
      kind: "session.revive_failed",
      error: { code: "launch_failed", message: "No such command" },
    };
    expect(statusOf([created, ready, exited, refused]).notice).toEqual({
      code: "launch_failed",
      message: "No such command",
    });
  });
});
