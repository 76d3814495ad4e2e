import { describe, expect, it } from "vitest";
import { kinds, type Story, story } from "./testing/story.ts";

const revived = (told: Story) => told.do("revived", { rung: "native", ms: 100 });

describe("pause", () => {
  it("is recorded once for the session and its run, which then cannot act", () => {
    const told = story().prompt().launch();
    expect(kinds(told.do("pause", { reason: "explicit" }))).toEqual([
      "run.paused",
      "session.paused",
    ]);
    expect(told.do("pause", { reason: "idle" })).toEqual([]);
    expect(told.derived).toMatchObject({
      lifecycle: "paused",
      status: "running",
      runStatus: "paused",
      pausedReason: "explicit",
    });
  });

  it("is over with a revive, for the same run", () => {
    const told = story().prompt().launch();
    const { id } = told.run;
    told.do("pause", { reason: "explicit" });
    told.do("revive", {});
    expect(told.derived.runtime).toBe("starting");
    expect(kinds(revived(told))).toEqual(["session.resumed", "run.resumed", "attempt.started"]);
    expect(told.derived).toMatchObject({ lifecycle: "active", runStatus: "running" });
    expect(told.run.id).toBe(id);
  });

  it("is over with the next message", () => {
    const told = story().prompt().launch().complete();
    told.do("pause", { reason: "idle" });
    expect(told.derived.lifecycle).toBe("paused");
    told.prompt();
    expect(told.derived.lifecycle).toBe("active");
  });
});

describe("adoption", () => {
  const adopted = (told: Story) => told.do("revived", { rung: "adopted", ms: 40 });

  it("has a receipt like every recovery, with its time, before the run goes on", () => {
    const told = story().prompt().launch();
    told.do("pause", { reason: "explicit" });
    const events = adopted(told);
    expect(kinds(events)).toEqual(["session.resumed", "receipt.issued", "run.resumed"]);
    expect(events[1]).toMatchObject({ runId: told.run.id, rung: "adopted", ms: 40, lost: [] });
    expect(told.state.recovery.receipts).toBe(1);
  });

  it("says of the run whether it kept working, waited, ended without a host, or was not open", () => {
    const keptBy = (told: Story) => adopted(told).find(({ kind }) => kind === "receipt.issued");
    const told = story().prompt().launch();
    expect(keptBy(told)).toMatchObject({ kept: [expect.stringContaining("kept working")] });
    told.ask("t1");
    expect(keptBy(told)).toMatchObject({ kept: [expect.stringContaining("the run waits")] });
    const idle = story().prompt().launch().complete();
    idle.reboot();
    expect(keptBy(idle)).toMatchObject({ kept: ["everything; no run was open"] });
    const ended = story().prompt().launch().reboot().complete();
    expect(keptBy(ended)).toMatchObject({ kept: [expect.stringContaining("ended its run while")] });
  });

  it("has no receipt in a session without messages", () => {
    expect(kinds(adopted(story()))).toEqual(["session.resumed"]);
  });
});

describe("revive", () => {
  it("is durable before anything starts, and one at a time", () => {
    const told = story().prompt().launch().complete().reboot();
    expect(told.derived).toMatchObject({ lifecycle: "paused", runtime: "none" });
    expect(told.do("revive", {})).toMatchObject([{ kind: "session.reviving", mode: "revive" }]);
    expect(told.refused("revive", {}).code).toBe("reviving");
    revived(told);
    expect(told.derived).toMatchObject({ lifecycle: "active", runtime: "live" });
    expect(told.state.recovery).toMatchObject({ rung: "native", reviveError: null });
  });

  it("of a live runtime changes nothing, also while it streams", () => {
    const told = story().prompt().launch().say("…");
    expect(told.do("revive", {})).toEqual([]);
    expect(told.do("revive", { mode: "continue" })).toEqual([]);
    const error = told.refused("revive", { mode: "fresh" });
    expect(error).toMatchObject({ code: "already_running" });
    told.complete();
    expect(kinds(told.do("revive", { mode: "fresh" }))).toEqual(["session.reviving"]);
  });

  it("that a crash cut short can be retried after the restart", () => {
    const told = story().prompt().launch().complete().reboot();
    told.do("revive", {});
    told.reboot();
    expect(told.derived.runtime).toBe("none");
    expect(kinds(told.do("revive", {}))).toEqual(["session.reviving"]);
  });

  it("that fails restores the earlier status and keeps the reason", () => {
    const told = story().prompt().launch().complete().reboot();
    const before = told.derived;
    told.do("revive", {});
    told.do("reviveFailed", { error: { code: "timeout", message: "Too slow." } });
    expect(told.derived).toEqual(before);
    expect(told.state.recovery.reviveError).toMatchObject({ message: "Too slow." });
    told.do("revive", {});
    revived(told);
    expect(told.state.recovery.reviveError).toBe(null);
  });

  it("that fails keeps an interruption an interruption", () => {
    const told = story().prompt().launch().reboot();
    told.do("processDied", { runId: told.run.id, reason: "process_restart" });
    told.do("revive", {});
    told.do("reviveFailed", { error: { code: "timeout", message: "Too slow." } });
    expect(told.derived.status).toBe("interrupted_startup");
  });
});

describe("the end", () => {
  it("is final: the open run is cancelled, and the rules go, once", () => {
    const told = story().prompt().launch().say("Half");
    const events = told.do("end", { reason: "explicit" });
    expect(kinds(events)).toEqual(["run.cancelled", "session.ended", "status.derived"]);
    expect(events.at(-1)).toMatchObject({ status: "idle", lifecycle: "ended" });
    expect(told.run.outcome).toBe("cancelled");
    expect(told.state).toMatchObject({ rules: [] });
    expect(told.answer).toMatchObject({ status: "cancelled", contentParts: [{ text: "Half" }] });
    expect(told.do("end", { reason: "ttl" })).toEqual([]);
    expect(told.state.ended).toMatchObject({ reason: "explicit" });
  });

  it("keeps queued messages readable, and lets nobody send, change or remove them", () => {
    const told = story().prompt().launch().prompt("never sent");
    told.do("end", { reason: "explicit" });
    expect(told.state.queue).toMatchObject([{ content: "never sent" }]);
    const messageId = told.state.queue[0]?.id ?? "";
    const refused = [
      told.refused("editQueued", { messageId, content: "x" }),
      told.refused("removeQueued", { messageId }),
      told.refused("releaseQueue", {}),
    ];
    for (const error of refused) expect(error).toMatchObject({ code: "session_ended" });
  });

  it("closes a waiting run like any end: token revoked, question withdrawn, call closed", () => {
    const told = story().prompt().launch().tool("t1");
    told.ask("t1");
    expect(kinds(told.do("end", { reason: "explicit" }))).toEqual([
      "token.revoked",
      "approval.withdrawn",
      "tool.finished",
      "run.cancelled",
      "session.ended",
      "status.derived",
    ]);
  });

  it("refuses what would start anything again", () => {
    const told = story().prompt().complete();
    told.do("end", { reason: "explicit" });
    const { id: runId } = told.run;
    const refused = [
      told.refused("prompt", { content: "x" }),
      told.refused("retry", { runId, from: "start" }),
      told.refused("releaseQueue", {}),
      told.refused("revive", {}),
      told.refused("revived", { rung: "fresh", ms: 1 }),
      told.refused("pause", { reason: "idle" }),
      told.refused("rename", { title: "x" }),
      told.refused("launchHolder", { holderId: `hold_${"0".repeat(32)}` }),
      told.refused("agentReady", { agentSessionId: null, holderId: null }),
    ];
    for (const error of refused)
      expect(error).toMatchObject({ code: "session_ended", status: 410 });
  });
});
