import { describe, expect, it } from "vitest";
import { isTransient, launchOverdue } from "./attempts.ts";
import { kinds, type Story, story } from "./testing/story.ts";

const starts = (told: Story) => told.events.filter((event) => event.kind === "attempt.started");

describe("an error that passes", () => {
  it.each([
    ["timeout", undefined],
    ["rate_limit", undefined],
    ["overloaded", undefined],
    ["server_error", undefined],
    ["anything", 500],
    ["anything", 503],
    ["anything", 529],
    ["anything", 429],
    ["anything", 408],
  ])("%s %s is tried again, twice, as attempts of the same run [R003-45]", (code, status) => {
    const told = story().prompt().launch().say("Half ");
    const { id } = told.run;
    expect(kinds(told.do("failAttempt", fail(told, code, status)))).toEqual([
      "attempt.failed",
      "attempt.started",
    ]);
    told.launch().say("more ");
    told.fail(code, status);
    expect(told.run).toMatchObject({ id, outcome: null, attempt: { n: 3 }, retries: 2 });
    expect(told.count("run.started")).toBe(1);
  });

  it("ends the run as an error with all its text when the tries are used up [R003-47]", () => {
    const told = story().prompt();
    for (const text of ["one ", "two ", "three "]) told.launch().say(text).fail("timeout");
    expect(told.run).toMatchObject({ outcome: "failed", error: { code: "timeout" } });
    expect(told.answer).toMatchObject({ status: "error", errorMessage: "It said timeout." });
    const texts = told.answer.contentParts.filter((part) => part.type === "text");
    expect(texts.map((part) => part.text)).toEqual(["one ", "two ", "three "]);
    expect(told.derived).toMatchObject({ status: "idle", runStatus: "error" });
  });

  it("is tried as often as the session's policy says", () => {
    const told = story({ policy: { transientRetries: 0 } })
      .prompt()
      .launch()
      .fail("timeout");
    expect(told.run.outcome).toBe("failed");
  });

  it("is not tried again once a tool may have done something", () => {
    const told = story().prompt().launch().tool("t1").fail("timeout");
    expect(told.run).toMatchObject({ outcome: "failed", attempt: { n: 1 } });
  });

  it("is retried in the way the agent supports; without any output, the prompt is sent again unchanged", () => {
    const told = story().prompt().launch();
    told.do("failAttempt", { ...fail(told, "timeout"), way: "fork" });
    expect(starts(told).at(-1)).toMatchObject({ way: "prompt", cause: "transient" });
    told.say("Half");
    told.do("failAttempt", { ...fail(told, "timeout"), way: "rewind" });
    expect(starts(told).at(-1)).toMatchObject({ way: "rewind" });
  });

  it("takes the old launch's questions with it", () => {
    const told = story().prompt().launch();
    const approvalId = told.ask("t1");
    const token = told.token();
    told.fail("timeout");
    expect(told.run).toMatchObject({ waits: [], attempt: { n: 2 } });
    expect(told.run.approvals).toMatchObject([{ id: approvalId, withdrawn: true }]);
    const answer = { runId: told.run.id, approvalId, decision: "allow", by: "me" } as const;
    expect(told.refused("decide", answer).code).toBe("not_open");
    expect(told.refused("resumeWait", { runId: told.run.id, token, by: "x" }).code).toBe(
      "token_revoked",
    );
    expect(told.derived.status).toBe("running");
  });

  it("after progress has its tries back", () => {
    const told = story().prompt().launch().fail("timeout").launch().fail("timeout");
    expect(told.run.retries).toBe(2);
    told.launch().tool("t1").finish("t1");
    expect(told.run.retries).toBe(0);
  });
});

describe("an error that stays", () => {
  it.each([
    ["content_policy", undefined],
    ["content_policy", 500],
    ["bad_request", 400],
    ["unauthorized", 401],
    ["not_found", 404],
    ["timeout", 422],
    ["something_new", undefined],
  ])("%s %s fails at once, with its text kept [R003-46]", (code, status) => {
    const told = story().prompt().launch().say("Half");
    expect(kinds(told.do("failAttempt", fail(told, code, status)))).toEqual([
      "run.failed",
      "status.derived",
    ]);
    expect(told.answer).toMatchObject({
      status: "error",
      contentParts: [{ type: "text", text: "Half" }],
    });
    expect(isTransient({ code, status })).toBe(false);
  });
});

describe("an attempt", () => {
  it("is accepted once; from then on its prompt would run twice", () => {
    const told = story().prompt();
    expect(told.run.attempt.accepted).toBe(false);
    expect(kinds(told.do("accept", { ...told.who, holderId: null }))).toEqual(["attempt.accepted"]);
    expect(told.do("accept", { ...told.who, holderId: null })).toEqual([]);
    expect(told.run.attempt.accepted).toBe(true);
  });

  it("that was never accepted is delivered after the restart; one that was waits for Continue", () => {
    const told = story().prompt().reboot();
    const dead = { runId: told.run.id, reason: "process_restart" } as const;
    expect(kinds(told.do("processDied", dead))).toEqual(["run.adopted"]);
    expect(told.do("processDied", dead)).toEqual([]);
    expect(told.run).toMatchObject({ outcome: null, attempt: { n: 1, accepted: false, epoch: 2 } });
    told.launch().reboot().do("processDied", dead);
    expect(told.derived.status).toBe("interrupted_startup");
  });

  it("that was replaced is late: its reports are refused [F18]", () => {
    const told = story().prompt().launch().fail("timeout");
    const late = { runId: told.run.id, attempt: 1 };
    const before = told.state;
    const refused = [
      told.refused("record", { ...late, output: [{ type: "text", text: "ghost" }] }),
      told.refused("complete", { ...late, stopReason: "end_turn" }),
      told.refused("accept", { ...late, holderId: null }),
      told.refused("failAttempt", { ...late, error: { code: "timeout", message: "x" } }),
      told.refused("openWait", {
        ...late,
        kind: "human",
        deadlineAt: null,
        token: told.secret(),
      }),
      told.refused("requestApproval", {
        ...late,
        toolCallId: "t1",
        toolName: "Bash",
        input: {},
        askedBy: null,
        token: told.secret(),
      }),
    ];
    expect(refused.map((error) => error.code)).toEqual(Array(6).fill("late_event"));
    expect(told.state).toBe(before);
  });

  it("carries the answer to a question whose asking process is gone", () => {
    const told = story().prompt().launch().tool("t1");
    const approvalId = told.ask("t1");
    told.do("decide", { runId: told.run.id, approvalId, decision: "allow", by: "me" });
    told.reboot().do("processDied", { runId: told.run.id, reason: "process_restart" });
    expect(starts(told).at(-1)).toMatchObject({ attempt: 2, cause: "answered", way: "continue" });
    expect(told.run).toMatchObject({ outcome: null, epoch: 2, retries: 0, openTools: [] });
  });
});

describe("a launch without any output", () => {
  const limit = 5 * 60_000;

  it("is overdue after its time, and then fails like any launch: retryable [F21]", () => {
    const told = story().prompt();
    expect(launchOverdue(told.state, limit - 1, told.time.at())).toBe(false);
    expect(launchOverdue(told.state, limit, told.time.at())).toBe(true);
    told.fail("launch_failed");
    expect(told.run).toMatchObject({ outcome: null, attempt: { n: 2 } });
    expect(starts(told).at(-1)).toMatchObject({ way: "prompt" });
  });

  it("is not overdue once any output came, nor while a person is asked [F21]", () => {
    const told = story().prompt().say("x");
    expect(launchOverdue(told.state, 2 * limit, told.time.at())).toBe(false);
    const waiting = story().prompt().stand("human");
    expect(launchOverdue(waiting.state, 2 * limit, waiting.time.at())).toBe(false);
  });
});

function fail(told: Story, code: string, status?: number) {
  const error = { code, message: `It said ${code}.`, ...(status === undefined ? {} : { status }) };
  return { ...told.who, error };
}
