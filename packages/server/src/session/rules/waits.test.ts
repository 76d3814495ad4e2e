import type { WaitKind } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { kinds, type Story, story } from "./testing/story.ts";
import { dueWaits } from "./waits.ts";

const MINUTE = 60_000;
const sweep = (told: Story) =>
  dueWaits(told.run, told.time.at()).flatMap((wait) =>
    told.do("expireWait", { runId: told.run.id, waitId: wait.id }),
  );

describe("a wait", () => {
  it("opens with its token in the same batch, and the session's status is waiting [R002-23] [R002-37]", () => {
    const told = story().prompt();
    const deadlineAt = told.in(10 * MINUTE);
    const token = told.secret(told.in(5 * MINUTE));
    const events = told.do("openWait", { ...told.who, kind: "tool_result", deadlineAt, token });
    const { id: runId } = told.run;
    const { id: waitId, token: minted } = told.wait;
    expect(events).toMatchObject([
      { kind: "run.waiting", runId, waitId, waitKind: "tool_result", deadlineAt },
      { kind: "token.minted", runId, waitId, waitKind: "tool_result", ...token },
      { kind: "status.derived", status: "waiting" },
    ]);
    expect(events[0]).toMatchObject({ resumeTokenId: minted?.id });
    expect(told.wait).toMatchObject({ kind: "tool_result", deadlineAt, sinceSeq: events[0]?.seq });
    expect(told.derived.status).toBe("waiting");
  });

  it.each(["tool_result", "external"] as const)("on %s needs a deadline [R002-65]", (kind) => {
    const told = story().prompt();
    const wait = { ...told.who, kind, deadlineAt: null, token: told.secret() };
    const error = told.refused("openWait", wait);
    expect(error).toMatchObject({
      code: "bad_input",
      message: expect.stringContaining("deadline"),
    });
  });

  it("is resumed by its owner without a token, which is revoked with it", () => {
    const told = story().prompt().stand("external");
    const token = told.token();
    const events = told.do("resumeWait", { runId: told.run.id, by: "me", result: { ok: true } });
    expect(kinds(events)).toEqual(["token.revoked", "run.resumed", "status.derived"]);
    expect(events[1]).toMatchObject({ by: "me", result: { ok: true } });
    expect(told.derived.status).toBe("running");
    const late = told.refused("resumeWait", { runId: told.run.id, token, by: "hook" });
    expect(late.code).toBe("token_revoked");
    expect(told.refused("resumeWait", { runId: told.run.id, by: "me" }).code).toBe("not_waiting");
  });

  it("leaves its result with the run until the agent has received it, once", () => {
    const told = story().prompt().launch().stand("external");
    const { id: runId } = told.run;
    const waitId = told.wait.id;
    told.do("resumeWait", { runId, by: "hook", result: { ok: true } });
    expect(told.run.results).toEqual([{ waitId, attempt: 1, result: { ok: true } }]);
    expect(kinds(told.do("deliverResult", { runId, waitId }))).toEqual(["result.delivered"]);
    expect(told.do("deliverResult", { runId, waitId })).toEqual([]);
    expect(told.run.results).toEqual([]);
  });

  it("whose result was not delivered becomes a new attempt of the same run, once", () => {
    const told = story().prompt().launch().stand("external");
    told.do("resumeWait", { runId: told.run.id, by: "hook", result: "ok" });
    const dead = { runId: told.run.id, reason: "process_exit" } as const;
    expect(kinds(told.do("processDied", dead))).toEqual(["attempt.started"]);
    expect(told.run.results).toHaveLength(1);
    // The next launch died as well, and the run is interrupted, so that launches end.
    told.launch().do("processDied", dead);
    expect(told.run.outcome).toBe("interrupted");
  });

  it("among several is resumed by name, never by guess", () => {
    const told = story().prompt().stand("external").stand("tool_result");
    const [external, tool] = told.run.waits;
    const { id: runId } = told.run;
    expect(told.refused("resumeWait", { runId, by: "me" }).code).toBe("bad_input");
    told.do("resumeWait", { runId, by: "me", kind: "tool_result" });
    expect(told.wait.id).toBe(external?.id);
    const over = told.refused("resumeWait", { runId, by: "me", waitId: tool?.id as string });
    expect(over.code).toBe("not_waiting");
    // An open question is not a candidate: it needs an answer, not a resume.
    told.ask("t1");
    told.do("resumeWait", { runId, by: "me" });
    expect(told.wait.approvalId).not.toBe(null);
  });

  it("that is a question wants an answer, with or without its token", () => {
    const told = story().prompt();
    told.ask("t1");
    const { id: runId } = told.run;
    const error = told.refused("resumeWait", { runId, by: "me" });
    expect(error).toMatchObject({ code: "bad_input", message: expect.stringContaining("allow") });
    const token = told.token();
    expect(told.refused("resumeWait", { runId, by: "me", token }).code).toBe("bad_input");
    expect(told.derived.status).toBe("waiting");
  });
});

describe("a wait's deadline", () => {
  it.each(["tool_result", "external", "human"] as const)(
    "on %s interrupts the run and revokes the token [R002-35] [R002-62]",
    (kind) => {
      const told = story().prompt();
      told.stand(kind, { deadlineAt: told.in(10 * MINUTE) });
      const token = told.token();
      told.pass(10 * MINUTE - 1);
      expect(sweep(told)).toEqual([]);
      told.pass(1);
      const events = sweep(told);
      expect(kinds(events)).toEqual(["token.revoked", "run.interrupted", "status.derived"]);
      expect(events[1]).toMatchObject({ reason: "wait_timeout" });
      expect(told.derived.status).toBe("interrupted_waiting");
      // From now on the token is stale, and the sweep records it once.
      const late = told.refused("resumeWait", { runId: told.run.id, token, by: "hook" });
      expect(late.code).toBe("token_revoked");
      expect(sweep(told)).toEqual([]);
      expect(told.count("run.interrupted")).toBe(1);
    },
  );

  it("is the wait's own: how long the run has been going does not matter", () => {
    const told = story()
      .prompt()
      .pass(60 * MINUTE)
      .stand("external");
    told.pass(9 * MINUTE);
    expect(sweep(told)).toEqual([]);
    told.do("resumeWait", { runId: told.run.id, by: "me" });
    told.stand("external").pass(9 * MINUTE);
    expect(sweep(told)).toEqual([]);
  });

  it("that is checked too early changes nothing", () => {
    const told = story().prompt().stand("external");
    expect(told.do("expireWait", { runId: told.run.id, waitId: told.wait.id })).toEqual([]);
  });

  it("does not exist for a person: 25 hours and 10 restarts later it can be answered [P19]", () => {
    const told = story().prompt();
    const approvalId = told.ask("t1");
    const { id } = told.wait;
    for (let i = 0; i < 10; i++) {
      told.pass(2.5 * 60 * MINUTE).reboot();
      expect(sweep(told)).toEqual([]);
      told.do("processDied", { runId: told.run.id, reason: "process_restart" });
      expect(told.do("announce", {})).toEqual([]);
    }
    expect(told.wait).toMatchObject({ id, approvalId });
    told.do("decide", { runId: told.run.id, approvalId, decision: "allow", by: "me" });
    expect(told.count("approval.requested")).toBe(1);
    expect(told.count("approval.decided")).toBe(1);
  });

  it("that passed while no host ran fires a minute after the next one is ready", () => {
    const told = story()
      .prompt()
      .stand("external")
      .pass(60 * MINUTE)
      .reboot();
    expect(sweep(told)).toEqual([]);
    told.pass(MINUTE - 1);
    expect(sweep(told)).toEqual([]);
    expect(told.do("expireWait", { runId: told.run.id, waitId: told.wait.id })).toEqual([]);
    told.pass(1);
    expect(kinds(sweep(told))).toContain("run.interrupted");
  });

  it("in that minute is still beaten by an answer", () => {
    const told = story()
      .prompt()
      .stand("external")
      .pass(60 * MINUTE)
      .reboot()
      .pass(MINUTE - 1);
    told.do("resumeWait", { runId: told.run.id, token: told.token(), by: "hook" });
    expect(told.derived.status).toBe("running");
  });

  it("fires on time that really passed, whatever the wall clock is set to [P18]", () => {
    for (const jump of [-3_600_000, 86_400_000]) {
      const told = story().prompt().stand("external");
      told.time.clock.step(jump);
      told.pass(10 * MINUTE - 1);
      expect(sweep(told), `${jump}`).toEqual([]);
      told.pass(1);
      expect(kinds(sweep(told)), `${jump}`).toContain("run.interrupted");
    }
  });

  // After a machine slept, its wall clock is ahead of the time that its processes counted.
  const steps: [string, number][] = [
    ["set back an hour", -60 * MINUTE],
    ["set on a day", 24 * 60 * MINUTE],
    ["ahead by a sleep of 8 hours", 8 * 60 * MINUTE],
  ];
  it.each(steps)("set on a clock that was %s before is ten minutes all the same [P18]", (_, ms) => {
    const told = story().prompt();
    told.time.clock.step(ms);
    told.stand("external").pass(10 * MINUTE - 1);
    expect(sweep(told)).toEqual([]);
    // The clock is corrected during the wait: the time that really passed still counts.
    told.time.clock.step(-ms);
    expect(sweep(told)).toEqual([]);
    told.pass(1);
    expect(kinds(sweep(told))).toContain("run.interrupted");
  });

  it.each(steps)(
    "set in a boot whose clock was %s is the wall time in the next boot [P18]",
    (_, ms) => {
      const told = story().prompt();
      told.time.clock.step(ms);
      told.stand("external").reboot();
      told.pass(10 * MINUTE - 1);
      expect(sweep(told)).toEqual([]);
      told.pass(1);
      expect(kinds(sweep(told))).toContain("run.interrupted");
    },
  );

  it("of a journal that does not say how its clock stood is compared as it is", () => {
    const told = story().prompt().stand("external");
    const waits = told.run.waits.map((wait) => ({ ...wait, clock: null }));
    told.state = { ...told.state, run: { ...told.run, waits } };
    told.pass(10 * MINUTE - 1);
    expect(sweep(told)).toEqual([]);
    told.pass(1);
    expect(kinds(sweep(told))).toContain("run.interrupted");
  });
});

describe("a wait whose token is gone", () => {
  const gone: [string, (told: Story) => unknown][] = [
    ["expired", (told) => told.pass(2 * MINUTE)],
    ["was revoked", (told) => revoke(told)],
    ["is missing", (told) => forget(told)],
  ];
  const mortal: [WaitKind, boolean][] = [
    ["tool_result", true],
    ["external", true],
    ["human", true],
  ];
  for (const [how, lose] of gone) {
    it.each(mortal)(
      `and on %s has a deadline: when it ${how}, the run is interrupted_waiting and cannot be resumed [R002-26] [R002-34] [R002-52]`,
      (kind) => {
        const told = story().prompt();
        const deadlineAt = told.in(10 * MINUTE);
        told.stand(kind, { deadlineAt, token: told.secret(told.in(MINUTE)) });
        const token = told.token();
        lose(told);
        expect(kinds(sweep(told))).toContain("run.interrupted");
        expect(told.derived.status).toBe("interrupted_waiting");
        const refused = told.refused("resumeWait", { runId: told.run.id, token, by: "hook" });
        expect(refused.code).toMatch(/^token_(expired|revoked|invalid)$/);
        expect(told.refused("resumeWait", { runId: told.run.id, by: "me" }).code).toBe("not_open");
      },
    );

    it(`and on a person has none: when it ${how}, the wait goes on, its owner answers without it, and a new one can be minted`, () => {
      const told = story().prompt();
      const approvalId = told.ask("t1", {}, { token: told.secret(told.in(MINUTE)) });
      lose(told);
      expect(kinds(sweep(told)).filter((kind) => kind !== "token.expired")).toEqual([]);
      expect(sweep(told)).toEqual([]);
      expect(told.derived.status).toBe("waiting");
      told.do("mintToken", { runId: told.run.id, token: told.secret() });
      expect(told.wait.token?.status).toBe("active");
      told.do("decide", { runId: told.run.id, approvalId, decision: "deny", by: "me" });
      expect(told.run.waits).toEqual([]);
    });
  }

  it("says an expiry before the interruption that follows from it [R002-42]", () => {
    const told = story().prompt();
    told.stand("external", { token: told.secret(told.in(MINUTE)) }).pass(MINUTE);
    expect(kinds(sweep(told))).toEqual(["token.expired", "run.interrupted", "status.derived"]);
  });
});

function revoke(told: Story): void {
  const tokenId = told.wait.token?.id as string;
  told.do("revokeToken", { runId: told.run.id, tokenId, reason: "leaked" });
}

/** A journal without `token.minted`, as an older version or a repair might leave it. */
function forget(told: Story): void {
  const run = { ...told.run, waits: told.run.waits.map((wait) => ({ ...wait, token: null })) };
  told.state = { ...told.state, run };
}
