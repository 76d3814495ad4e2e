import { interruptReasons, outcomeOf } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../base/policy.ts";
import type { Moment } from "./rule.ts";
import { unwatched } from "./runs.ts";
import { HOLDER, kinds, type Story, story } from "./testing/story.ts";

const outcomes = (told: Story) => kinds(told.events).filter((kind) => outcomeOf(kind));
const dead = (told: Story, reason: "process_restart" | "process_exit" | "sandbox_lost") =>
  told.do("processDied", { runId: told.run.id, reason });

describe("an outcome", () => {
  it("comes once: whatever is said of the run later is refused and told the outcome", () => {
    const told = story().prompt().complete();
    const { runId, attempt } = told.who;
    const error = { code: "timeout", message: "x" };
    const late = [
      told.refused("complete", { runId, attempt, stopReason: "end" }),
      told.refused("cancel", { runId }),
      told.refused("settleCancel", { runId }),
      told.refused("processDied", { runId, reason: "process_restart" }),
      told.refused("failAttempt", { runId, attempt, error }),
      told.refused("unreachable", { runId, holderId: null }),
      told.refused("adopt", { runId }),
      told.refused("pauseRun", { runId, reason: "idle" }),
      told.refused("record", { runId, attempt, output: [{ type: "text", text: "late" }] }),
      told.refused("openWait", {
        runId,
        attempt,
        kind: "human",
        deadlineAt: null,
        token: told.secret(),
      }),
    ];
    for (const error of late) {
      expect(error).toMatchObject({ code: "not_open", details: { outcome: "completed" } });
      expect(error.message).toContain("Nothing was changed");
    }
    expect(outcomes(told)).toEqual(["run.completed"]);
  });

  it("is `completed` when the agent's turn is over, also with a question still open", () => {
    const told = story().prompt().launch().tool("t1");
    const approvalId = told.ask("t1");
    const token = told.token();
    const events = told.do("complete", { ...told.who, stopReason: "end_turn" });
    expect(kinds(events)).toEqual([
      "token.revoked",
      "approval.withdrawn",
      "tool.finished",
      "run.completed",
      "status.derived",
    ]);
    expect(told.run).toMatchObject({ waits: [], openTools: [], outcome: "completed" });
    const answer = { runId: told.run.id, approvalId, decision: "allow", by: "me" } as const;
    expect(told.refused("decide", answer).code).toBe("not_open");
    expect(told.refused("decide", { ...answer, token }).code).toBe("token_revoked");
  });
});

describe("cancel", () => {
  it("is first a durable request, and becomes the outcome when the run cannot act any more", () => {
    const told = story().prompt().launch().say("Half");
    expect(kinds(told.do("cancel", { runId: told.run.id, by: "phone" }))).toEqual([
      "run.cancel_requested",
    ]);
    expect(told.derived.status).toBe("running");
    const settled = told.do("settleCancel", { runId: told.run.id });
    expect(kinds(settled)).toEqual(["run.cancelled", "status.derived"]);
    expect(settled[0]).toMatchObject({ reason: "phone" });
    expect(told.answer).toMatchObject({ status: "cancelled" });
  });

  it("counts once: later cancels leave the run unchanged", () => {
    const told = story().prompt();
    told.do("cancel", { runId: told.run.id, by: "phone" });
    expect(told.do("cancel", { runId: told.run.id, by: "laptop" })).toEqual([]);
    expect(told.run.cancel?.by).toBe("phone");
  });

  it("loses against a completion that was journalled first", () => {
    const told = story().prompt().complete();
    const error = told.refused("cancel", { runId: told.run.id });
    expect(error).toMatchObject({ code: "not_open", details: { outcome: "completed" } });
  });

  it.each([
    ["completes", (told: Story) => told.complete()],
    ["fails for good", (told: Story) => told.fail("content_policy")],
    ["fails for a while", (told: Story) => told.fail("timeout")],
    ["dies", (told: Story) => dead(told, "process_exit")],
    ["is found dead at boot", (told: Story) => dead(told.reboot(), "process_restart")],
  ])("wins once it is durable, also when the agent %s meanwhile", (_, then) => {
    const told = story().prompt().launch().cancel();
    then(told);
    expect(outcomes(told)).toEqual(["run.cancelled"]);
  });

  it("wins over a launch that has not happened yet: every start is refused [F15]", () => {
    const told = story().prompt().cancel();
    const { id: runId } = told.run;
    expect(told.refused("launchHolder", { holderId: HOLDER }).code).toBe("cancel_pending");
    const { attempt } = told.who;
    const wait = { kind: "external", deadlineAt: told.in(1000), token: told.secret() } as const;
    expect(told.refused("openWait", { runId, attempt, ...wait }).code).toBe("cancel_pending");
    told.do("settleCancel", { runId });
    expect(kinds(told.events)).not.toContain("holder.launched");
    expect(outcomes(told)).toEqual(["run.cancelled"]);
    // The next prompt may start.
    told.prompt().do("launchHolder", { holderId: HOLDER });
    expect(told.derived.runtime).toBe("starting");
  });

  it("takes the tokens of all waits out of the world at once [R002-41]", () => {
    const told = story().prompt().stand("external");
    told.ask("t1");
    const tokens = told.run.waits.map((wait) => told.token(wait));
    expect(kinds(told.do("cancel", { runId: told.run.id }))).toEqual([
      "run.cancel_requested",
      "token.revoked",
      "token.revoked",
      "approval.decided",
      "run.resumed",
    ]);
    for (const token of tokens) {
      const late = told.refused("resumeWait", { runId: told.run.id, token, by: "hook" });
      expect(late.code).toBe("token_revoked");
    }
    const owner = { runId: told.run.id, by: "me" };
    expect(told.refused("resumeWait", owner).code).toBe("cancel_pending");
    const token = told.secret();
    expect(told.refused("mintToken", { runId: told.run.id, token }).code).toBe("cancel_pending");
    // The wait's deadline does not interrupt the cancelled run.
    const waitId = told.wait.id;
    told.pass(11 * 60_000);
    expect(told.do("expireWait", { runId: told.run.id, waitId })).toEqual([]);
  });

  it("is not settled without a request", () => {
    const told = story().prompt();
    expect(told.refused("settleCancel", { runId: told.run.id }).code).toBe("not_open");
  });

  it("denies questions that are asked after it", () => {
    const told = story().prompt().launch().cancel();
    told.ask("t1");
    expect(told.run.waits).toEqual([]);
    expect(told.run.approvals).toMatchObject([{ decision: "deny", by: "cancel" }]);
  });
});

describe("an interruption", () => {
  it("needs a run without an open wait, and is said once however often it is found [R002-32]", () => {
    const told = story().prompt().launch().say("Half").reboot();
    expect(kinds(dead(told, "process_restart"))).toEqual(["run.interrupted", "status.derived"]);
    for (const reason of ["process_restart", "process_exit", "sandbox_lost"] as const) {
      const again = told.refused("processDied", { runId: told.run.id, reason });
      expect(again.code).toBe("not_open");
    }
    told.reboot();
    expect(told.do("announce", {})).toEqual([]);
    expect(told.count("run.interrupted")).toBe(1);
    expect(told.count("status.derived")).toBe(2);
  });

  it("of a launch that was replaced is late [F18]", () => {
    const told = story().prompt().launch().fail("timeout");
    const late = { runId: told.run.id, attempt: 1, reason: "process_exit" } as const;
    expect(told.refused("processDied", late).code).toBe("late_event");
    told.do("processDied", { ...late, attempt: 2 });
    expect(told.run.outcome).toBe("interrupted");
  });

  it("is said anew for a new run, with its status", () => {
    const told = story().prompt().launch();
    dead(told, "process_exit");
    told.prompt("Again").launch();
    expect(kinds(dead(told, "process_exit"))).toEqual(["run.interrupted", "status.derived"]);
  });

  it("has a reason, of which only a wait's time is called interrupted_waiting [R002-19]", () => {
    for (const reason of interruptReasons.filter((one) => one !== "wait_timeout")) {
      const told = story().prompt().launch();
      dead(told, reason);
      expect(told.run.interruption).toBe(reason);
      expect(told.derived.status).toBe("interrupted_startup");
      expect(told.state.recovery.interruption).toMatchObject({ runId: told.run.id, reason });
    }
    const told = story().prompt();
    const wrong = { runId: told.run.id, reason: "wait_timeout" } as never;
    expect(told.refused("processDied", wrong).code).toBe("bad_input");
  });

  it.each([
    ["continued", (told: Story) => told.do("retry", { runId: told.run.id, from: "error" })],
    ["prompted", (told: Story) => told.prompt("Other")],
  ])("is over as soon as the session is %s", (_, then) => {
    const told = story().prompt().launch();
    dead(told, "process_exit");
    then(told);
    expect(told.derived.status).toBe("running");
    expect(told.state.recovery.interruption).toBe(null);
  });

  it("is over when it is dismissed, which can be said twice", () => {
    const told = story().prompt().launch();
    dead(told, "process_exit");
    expect(kinds(told.do("dismiss", { runId: told.run.id }))).toEqual([
      "run.dismissed",
      "status.derived",
    ]);
    expect(told.do("dismiss", { runId: told.run.id })).toEqual([]);
    expect(told.derived.status).toBe("idle");
    const other = story().prompt();
    expect(other.refused("dismiss", { runId: other.run.id }).code).toBe("not_interrupted");
    const ended = story().prompt().launch();
    dead(ended, "process_exit");
    ended.do("end", { reason: "explicit" });
    expect(ended.refused("dismiss", { runId: ended.run.id }).code).toBe("session_ended");
  });

  it("spares a run with an open wait: it stays waiting and answerable without its processes", () => {
    const told = story().prompt().launch().tool("t1");
    const approvalId = told.ask("t1");
    told.reboot();
    for (const reason of ["process_restart", "process_exit", "sandbox_lost"] as const) {
      expect(dead(told, reason)).toEqual([]);
    }
    expect(told.derived.status).toBe("waiting");
    told.do("decide", { runId: told.run.id, approvalId, decision: "allow", by: "me" });
    expect(told.run.waits).toEqual([]);
  });

  it("after an undelivered answer becomes a new attempt of the same run, once", () => {
    const told = story().prompt().launch().tool("t1");
    const approvalId = told.ask("t1");
    told.do("decide", { runId: told.run.id, approvalId, decision: "allow", by: "me" });
    expect(kinds(dead(told, "process_exit"))).toEqual(["tool.finished", "attempt.started"]);
    expect(told.run).toMatchObject({ outcome: null, attempt: { n: 2, accepted: false } });
    told.launch();
    // The second death interrupts the run, so that an answer starts at most one new attempt.
    dead(told, "process_exit");
    expect(outcomes(told)).toEqual(["run.interrupted"]);
  });
});

describe("an unreachable run", () => {
  const lost = () => {
    const told = story().prompt().launch().reboot();
    told.do("unreachable", { runId: told.run.id, holderId: null });
    return told;
  };

  it("stays open, is said once, and is shown as paused", () => {
    const told = lost();
    expect(told.do("unreachable", { runId: told.run.id, holderId: null })).toEqual([]);
    expect(told.derived).toMatchObject({
      status: "running",
      runStatus: "paused",
      pausedReason: "unreachable",
      lifecycle: "paused",
    });
  });

  it("refuses every load and launch in its session", () => {
    const told = lost();
    const error = { code: "timeout", message: "x" };
    expect(told.refused("revive", {}).code).toBe("unreachable");
    expect(told.refused("launchHolder", { holderId: HOLDER }).code).toBe("unreachable");
    expect(told.refused("failAttempt", { ...told.who, error }).code).toBe("unreachable");
    told.prompt("next");
    expect(told.state.queue).toHaveLength(1);
  });

  it("is settled by its holder's answer: adopted, and never interrupted", () => {
    const told = lost();
    told.do("adopt", { runId: told.run.id });
    expect(told.derived).toMatchObject({ runStatus: "running", stale: false });
    expect(told.do("adopt", { runId: told.run.id })).toEqual([]);
    told.complete();
    expect(outcomes(told)).toEqual(["run.completed"]);
  });

  it("is settled by proof of its death", () => {
    const told = lost();
    dead(told, "process_restart");
    expect(told.derived).toMatchObject({ status: "interrupted_startup", runtime: "none" });
  });

  it("with an open wait becomes answerable again when its death is proved", () => {
    const told = story().prompt().launch().stand("external").reboot();
    told.do("unreachable", { runId: told.run.id, holderId: null });
    const token = told.token();
    const resume = { runId: told.run.id, token, by: "hook" };
    expect(told.refused("resumeWait", resume).code).toBe("unreachable");
    expect(kinds(dead(told, "process_restart"))).toEqual(["agent.exited", "run.adopted"]);
    expect(told.derived).toMatchObject({ status: "waiting", runtime: "none", stale: false });
    told.do("resumeWait", resume);
    expect(told.derived.status).toBe("running");
  });

  it("is not interrupted by a deadline, because it may still act", () => {
    const told = story().prompt().stand("external");
    told.do("unreachable", { runId: told.run.id, holderId: null });
    told.pass(11 * 60_000);
    expect(told.do("expireWait", { runId: told.run.id, waitId: told.wait.id })).toEqual([]);
  });

  it("still completes when that is what its spool says", () => {
    const told = lost().complete();
    expect(outcomes(told)).toEqual(["run.completed"]);
  });
});

describe("adoption", () => {
  it("makes a stale run current, once per boot", () => {
    const told = story().prompt().launch();
    expect(told.do("adopt", { runId: told.run.id })).toEqual([]);
    told.reboot();
    expect(told.derived.stale).toBe(true);
    const { epoch, bootId } = told.time.at();
    expect(told.do("adopt", { runId: told.run.id })).toMatchObject([
      { kind: "run.adopted", epoch, bootId },
    ]);
    expect(told.derived).toMatchObject({ stale: false, status: "running" });
    expect(told.state.recovery.lastBootSeen).toBe(bootId);
  });

  it("is refused to a host that was replaced", () => {
    const told = story().reboot().prompt();
    const stale = { ...told.time.at(), epoch: 1 };
    expect(told.run.epoch).toBe(2);
    const old = story().reboot();
    old.state = told.state;
    Object.assign(old.time, { at: () => stale });
    expect(old.refused("adopt", { runId: told.run.id }).code).toBe("fenced");
  });
});

describe("a paused run", () => {
  it.each(["abandoned", "waiting", "explicit"] as const)(
    "keeps its id and says why (%s)",
    (reason) => {
      const told = story().prompt().launch();
      told.do("pauseRun", { runId: told.run.id, reason });
      expect(told.do("pauseRun", { runId: told.run.id, reason })).toEqual([]);
      expect(told.derived).toMatchObject({ runStatus: "paused", pausedReason: reason });
      const { id } = told.run;
      expect(told.do("unpauseRun", { runId: id })).toMatchObject([
        { kind: "run.resumed", runId: id, waitId: null },
      ]);
      expect(told.derived.runStatus).toBe("running");
      expect(told.refused("unpauseRun", { runId: id }).code).toBe("not_paused");
    },
  );
});

describe("a run without followers", () => {
  const limit = 30 * 60_000;
  const isOver = (told: Story, unseen = limit, unwatchedLimit: number | null = limit) =>
    unwatched(told.run, unseen, { policy: { ...defaultPolicy, unwatchedLimit } } as Moment);

  it("is over its limit only when the limit is on, has passed, and the run is at work", () => {
    expect(isOver(story().prompt().launch())).toBe(true);
    expect(isOver(story().prompt().launch(), limit - 1)).toBe(false);
    expect(isOver(story().prompt().launch(), 1000 * limit, null)).toBe(false);
    expect(isOver(story().prompt().launch().stand("human"))).toBe(false);
    expect(isOver(story().prompt().launch().cancel())).toBe(false);
  });
});

describe("silence", () => {
  it("is advisory: it is recorded once, with its start, and leaves the status unchanged", () => {
    const told = story()
      .prompt()
      .launch()
      .tool("t1")
      .pass(5 * 60_000);
    const since = told.run.lastEventAt;
    const before = told.derived;
    const runId = told.run.id;
    expect(told.do("notice", { runId })).toMatchObject([{ kind: "run.silent", since }]);
    expect(told.do("notice", { runId })).toEqual([]);
    expect(told.derived).toEqual(before);
    told.finish("t1");
    expect(told.run.silentSince).toBe(null);
  });

  it("is not said of a run that is not expected to speak", () => {
    const waiting = story().prompt().stand("human");
    expect(waiting.do("notice", { runId: waiting.run.id })).toEqual([]);
    const paused = story().prompt();
    paused.do("pauseRun", { runId: paused.run.id, reason: "idle" });
    expect(paused.do("notice", { runId: paused.run.id })).toEqual([]);
  });
});
