import { describe, expect, it } from "vitest";
import { kinds, type Story, story } from "./testing/story.ts";

const contents = (told: Story) => told.state.queue.map((queued) => queued.content);
const sent = (told: Story) =>
  told.transcript.messages
    .filter((message) => message.role === "user")
    .map((message) => message.contentParts[0])
    .map((part) => (part?.type === "text" ? part.text : ""));

describe("a message", () => {
  it("starts a run and its first attempt, and says that the session is running", () => {
    const told = story().prompt("Do it");
    expect(kinds(told.events).slice(1)).toEqual([
      "message.user",
      "run.started",
      "attempt.started",
      "status.derived",
    ]);
    expect(told.run).toMatchObject({ attempt: { n: 1, accepted: false }, outcome: null });
  });

  it("sent again with the same client id leaves the state unchanged", () => {
    const told = story().prompt("Do it", { clientId: "c1" });
    expect(told.do("prompt", { content: "Do it", clientId: "c1" })).toEqual([]);
    told.prompt("More", { clientId: "c2" });
    expect(told.do("prompt", { content: "More", clientId: "c2" })).toEqual([]);
    told.complete().complete();
    expect(told.do("prompt", { content: "More", clientId: "c2" })).toEqual([]);
    expect(sent(told)).toEqual(["Do it", "More"]);
  });

  it("is for the model it names, else for the session's", () => {
    const told = story({ created: false }).create({ model: "large" }).prompt();
    expect(told.run.model).toBe("large");
    told.complete().prompt("x", { model: "small" });
    expect(told.run.model).toBe("small");
  });
});

describe("the queue", () => {
  it("keeps messages sent during a run, in order, and sends them after `completed` [F25]", () => {
    const told = story().prompt("0");
    for (const content of ["1", "2", "3"]) told.prompt(content);
    expect(contents(told)).toEqual(["1", "2", "3"]);
    told.complete();
    expect(contents(told)).toEqual(["2", "3"]);
    expect(told.derived.status).toBe("running");
    told.complete().complete().complete();
    expect(sent(told)).toEqual(["0", "1", "2", "3"]);
    expect(told.derived.status).toBe("idle");
    expect(told.count("run.started")).toBe(4);
  });

  it.each([
    ["cancelled", (told: Story) => told.cancel().do("settleCancel", { runId: told.run.id })],
    ["failed", (told: Story) => told.fail("content_policy")],
    [
      "interrupted",
      (told: Story) => told.do("processDied", { runId: told.run.id, reason: "process_exit" }),
    ],
  ])("stays parked and shown after `%s`, until someone lets it go on [F25]", (outcome, end) => {
    const told = story().prompt("0").prompt("1").prompt("2").reboot();
    end(told);
    expect(told.run.outcome).toBe(outcome);
    expect(contents(told)).toEqual(["1", "2"]);
    told.do("releaseQueue", {});
    expect(told.run).toMatchObject({ outcome: null, continues: null });
    expect(contents(told)).toEqual(["2"]);
    expect(sent(told)).toEqual(["0", "1"]);
  });

  it("of a paused session goes on when someone lets it", () => {
    const told = story().prompt("0").launch().prompt("1");
    told.do("pause", { reason: "explicit" });
    told.cancel().do("settleCancel", { runId: told.run.id });
    expect(contents(told)).toEqual(["1"]);
    told.do("releaseQueue", {});
    expect(sent(told)).toEqual(["0", "1"]);
  });

  it("goes on after a retry of the run that parked it is completed", () => {
    const told = story().prompt("0").prompt("1").fail("content_policy");
    told.do("retry", { runId: told.run.id, from: "error" });
    expect(contents(told)).toEqual(["1"]);
    told.complete();
    expect(sent(told)).toEqual(["0", "1"]);
  });

  it("is editable and removable until it is sent", () => {
    const told = story().prompt("0").prompt("1").prompt("2");
    const [first, second] = told.state.queue.map((queued) => queued.id) as [string, string];
    told.do("editQueued", { messageId: first, content: "one" });
    told.do("removeQueued", { messageId: second });
    expect(contents(told)).toEqual(["one"]);
    told.complete();
    const edit = told.refused("editQueued", { messageId: first, content: "late" });
    expect(edit.code).toBe("message_not_found");
    expect(told.refused("removeQueued", { messageId: second }).code).toBe("message_not_found");
    expect(sent(told)).toEqual(["0", "one"]);
  });

  it("cannot be released during a run, and releasing an empty one changes nothing", () => {
    const told = story().prompt("0").prompt("1");
    expect(told.refused("releaseQueue", {}).code).toBe("already_running");
    told.complete().complete();
    expect(told.do("releaseQueue", {})).toEqual([]);
  });
});

describe("a message that interrupts", () => {
  it("denies the open question, cancels, and is sent before the others once that is settled", () => {
    const told = story().prompt("0").prompt("later");
    const approvalId = told.ask("t1");
    const events = told.do("prompt", { content: "now", whenBusy: "interrupt" });
    expect(kinds(events)).toEqual([
      "run.cancel_requested",
      "token.revoked",
      "approval.decided",
      "run.resumed",
      "message.queued",
      "status.derived",
    ]);
    expect(told.run.approvals).toMatchObject([{ id: approvalId, decision: "deny" }]);
    told.do("settleCancel", { runId: told.run.id });
    expect(sent(told)).toEqual(["0", "now"]);
    expect(contents(told)).toEqual(["later"]);
    expect(told.run.outcome).toBe(null);
  });

  it("is not a second cancel while one is pending, and still goes first", () => {
    const told = story().prompt("0").prompt("later").cancel();
    const events = told.do("prompt", { content: "now", whenBusy: "interrupt" });
    expect(kinds(events)).toEqual(["message.queued"]);
    told.do("settleCancel", { runId: told.run.id });
    expect(sent(told)).toEqual(["0", "now"]);
    expect(told.count("run.cancel_requested")).toBe(1);
  });

  it("keeps its order among those that interrupt", () => {
    const told = story().prompt("0").prompt("later");
    told.prompt("a", { whenBusy: "interrupt" }).prompt("b", { whenBusy: "interrupt" });
    expect(contents(told)).toEqual(["a", "b", "later"]);
  });

  it("interrupts only the run it was sent to: a later plain cancel parks it like the others", () => {
    const told = story().prompt("0");
    told.prompt("a", { whenBusy: "interrupt" }).prompt("b", { whenBusy: "interrupt" });
    told.do("settleCancel", { runId: told.run.id });
    expect(sent(told)).toEqual(["0", "a"]);
    told.cancel().do("settleCancel", { runId: told.run.id });
    expect(contents(told)).toEqual(["b"]);
    expect(told.derived.status).toBe("idle");
  });
});

describe("a message while the run waits", () => {
  it.each(["tool_result", "external"] as const)(
    "on %s supersedes it: cancelled, its token revoked, a new run [R002-36]",
    (kind) => {
      const told = story().prompt("0").launch().stand(kind);
      const old = told.run.id;
      const token = told.token();
      const events = told.do("prompt", { content: "Never mind" });
      expect(kinds(events)).toEqual([
        "token.revoked",
        "run.cancelled",
        "message.user",
        "run.started",
        "attempt.started",
        "status.derived",
      ]);
      expect(events[1]).toMatchObject({ runId: old, reason: "superseded" });
      expect(told.derived.status).toBe("running");
      const late = told.refused("resumeWait", { runId: old, token, by: "hook" });
      expect(late.code).toBe("token_revoked");
    },
  );

  it("on a person is queued", () => {
    const told = story().prompt("0");
    told.ask("t1");
    told.prompt("1");
    expect(contents(told)).toEqual(["1"]);
    expect(told.derived.status).toBe("waiting");
  });

  it("on both a person and a tool is queued: the person's question stays open", () => {
    const told = story().prompt("0").stand("tool_result");
    told.ask("t1");
    told.prompt("1");
    expect(contents(told)).toEqual(["1"]);
    expect(told.run.outcome).toBe(null);
  });

  it("is queued while the run is unreachable", () => {
    const told = story().prompt("0").stand("external");
    told.do("unreachable", { runId: told.run.id, holderId: null });
    told.prompt("1");
    expect(contents(told)).toEqual(["1"]);
  });
});

describe("retry", () => {
  it.each(["start", "error"] as const)(
    "from the %s is a new run that names the old one",
    (from) => {
      const told = story().prompt("0").say("half").fail("content_policy");
      const old = told.run;
      told.do("retry", { runId: old.id, from });
      expect(told.run).toMatchObject({ continues: old.id, from, messageId: old.messageId });
      expect(told.run.id).not.toBe(old.id);
      const started = told.events.findLast((event) => event.kind === "attempt.started");
      expect(started).toMatchObject({ attempt: 1, way: from === "start" ? "prompt" : "continue" });
      expect(told.derived.status).toBe("running");
    },
  );

  it("after an interruption keeps the parked queue parked", () => {
    const told = story().prompt("0").prompt("1");
    told.do("processDied", { runId: told.run.id, reason: "process_exit" });
    const old = told.run.id;
    told.do("retry", { runId: old, from: "error" });
    expect(contents(told)).toEqual(["1"]);
    expect(told.run.continues).toBe(old);
    expect(told.state.recovery.interruption).toBe(null);
  });

  it("is taken once: the second caller learns that the run is not the latest", () => {
    const told = story().prompt("0").fail("content_policy");
    const runId = told.run.id;
    told.do("retry", { runId, from: "start" });
    expect(told.refused("retry", { runId, from: "start" }).code).toBe("run_not_found");
    expect(told.count("run.started")).toBe(2);
  });

  it("is refused while the run is open, and after it is completed", () => {
    const told = story().prompt("0");
    const runId = told.run.id;
    expect(told.refused("retry", { runId, from: "start" }).code).toBe("already_running");
    told.complete();
    expect(told.refused("retry", { runId, from: "start" }).code).toBe("not_open");
  });
});
