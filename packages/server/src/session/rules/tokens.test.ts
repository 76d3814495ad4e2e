import type { CommandInput } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { kinds, type Story, story } from "./testing/story.ts";

const MINUTE = 60_000;
const waiting = () => story().prompt().stand("external");
const resume = (told: Story, more: { key?: string; token?: ReturnType<Story["token"]> } = {}) => ({
  runId: told.run.id,
  by: "hook",
  token: told.token(),
  ...more,
});

describe("a resume token", () => {
  it("is minted with its wait, for one session, run and kind; a rule takes only its hash [R002-37] [R002-47]", () => {
    const told = waiting();
    const minted = told.events.find((event) => event.kind === "token.minted");
    expect(minted).toMatchObject({
      runId: told.run.id,
      waitId: told.wait.id,
      waitKind: "external",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(told.wait.token).toEqual({
      id: expect.stringMatching(/^rt_/),
      hash: minted?.kind === "token.minted" ? minted.hash : "",
      expiresAt: null,
      epoch: 1,
      clock: 0,
      status: "active",
    });
    // Rules accept only hashes; a secret is refused.
    const clear = { ...told.token(), secret: "hunter2", hash: "hunter2" };
    expect(told.refused("resumeWait", resume(told, { token: clear })).code).toBe("bad_input");
    expect(JSON.stringify(told.events)).not.toContain("hunter2");
  });

  it("is consumed in the same batch as the run goes on [R002-40] [R002-53]", () => {
    const told = waiting();
    const { id } = told.token();
    const events = told.do("resumeWait", resume(told, { key: "k1" }));
    expect(events).toMatchObject([
      { kind: "token.consumed", tokenId: id, key: "k1" },
      { kind: "run.resumed", by: "hook", key: "k1" },
      { kind: "status.derived", status: "running" },
    ]);
    expect(told.state.spentTokens).toMatchObject([{ id, status: "consumed", key: "k1" }]);
  });

  it("works once; the winner's own retry with its key gets the same answer [R002-53] [R002-59] [P16]", () => {
    const told = waiting();
    const input = resume(told, { key: "k1" });
    told.do("resumeWait", input);
    const { length } = told.events;
    for (let i = 0; i < 1000; i++) {
      expect(told.do("resumeWait", input)).toEqual([]);
      const other = told.refused("resumeWait", { ...input, key: `other${i}` });
      expect(other.code).toBe("token_consumed");
    }
    const { key: _, ...keyless } = input;
    expect(told.refused("resumeWait", keyless).code).toBe("token_consumed");
    expect(told.events).toHaveLength(length);
    expect(told.count("token.consumed")).toBe(1);
    expect(told.count("run.resumed")).toBe(1);
  });

  it("keeps its winner's answer after other waits, the run's end and the next run [R002-53]", () => {
    const told = waiting();
    const first = resume(told, { key: "k1" });
    told.do("resumeWait", first);
    told.stand("external").do("resumeWait", resume(told, { key: "k2" }));
    expect(told.do("resumeWait", first)).toEqual([]);
    told.complete();
    expect(told.do("resumeWait", first)).toEqual([]);
    told.prompt();
    expect(told.do("resumeWait", first)).toEqual([]);
    expect(told.refused("resumeWait", { ...first, key: "other" }).code).toBe("token_consumed");
  });

  it("of a winner does not answer someone who only knows its id and key", () => {
    const told = waiting();
    const input = resume(told, { key: "k1" });
    told.do("resumeWait", input);
    const forged = { ...input, token: { ...input.token, hash: "f".repeat(64) } };
    expect(told.refused("resumeWait", forged).code).toBe("token_invalid");
  });

  it("is replaced by a new one, and the old one is revoked in the same breath [R002-41] [R002-42]", () => {
    const told = waiting();
    const old = resume(told);
    const events = told.do("mintToken", { runId: told.run.id, token: told.secret() });
    expect(kinds(events)).toEqual(["token.revoked", "token.minted"]);
    expect(told.refused("resumeWait", old).code).toBe("token_revoked");
    told.do("resumeWait", resume(told));
    expect(told.derived.status).toBe("running");
  });

  it("for one of several waits is minted by name", () => {
    const told = waiting().stand("tool_result");
    const { id: runId } = told.run;
    const waitId = told.run.waits[1]?.id as string;
    expect(told.refused("mintToken", { runId, token: told.secret() }).code).toBe("bad_input");
    told.do("mintToken", { runId, waitId, token: told.secret() });
    told.do("resumeWait", { runId, by: "me", waitId });
    told.do("resumeWait", { runId, by: "me" });
    expect(told.refused("mintToken", { runId, token: told.secret() }).code).toBe("not_waiting");
  });

  it("is revoked by its owner once", () => {
    const told = waiting();
    const { id: tokenId } = told.token();
    const revoke = { runId: told.run.id, tokenId, reason: "leaked" };
    expect(told.do("revokeToken", revoke)).toMatchObject([{ kind: "token.revoked", tokenId }]);
    expect(told.do("revokeToken", revoke)).toEqual([]);
    const unknown = { ...revoke, tokenId: `rt_${"0".repeat(32)}` };
    expect(told.refused("revokeToken", unknown).code).toBe("token_invalid");
  });

  const ends: [string, (told: Story) => unknown][] = [
    ["a timeout", (told) => expire(told)],
    ["a cancellation", (told) => told.cancel()],
    ["a new run", (told) => told.prompt("Other")],
    ["a completion", (told) => told.complete()],
    ["a failure", (told) => told.fail("content_policy")],
    ["the session's end", (told) => told.do("end", { reason: "explicit" })],
  ];
  it.each(ends)("is revoked by %s, as an event [R002-41] [R002-42]", (_, end) => {
    const told = waiting();
    const input = resume(told);
    end(told);
    const revoked = told.events.filter((event) => event.kind === "token.revoked");
    expect(revoked).toMatchObject([{ tokenId: input.token.id }]);
    expect(told.refused("resumeWait", input).code).toBe("token_revoked");
  });

  it("leaves an event for every transition it makes [R002-42]", () => {
    const told = waiting();
    told.do("mintToken", { runId: told.run.id, token: told.secret() });
    told.do("resumeWait", resume(told));
    told.stand("external", { token: told.secret(told.in(MINUTE)) }).pass(MINUTE);
    told.do("expireWait", { runId: told.run.id, waitId: told.wait.id });
    const trail = kinds(told.events).filter((kind) => kind.startsWith("token."));
    expect(trail).toEqual([
      "token.minted",
      "token.revoked",
      "token.minted",
      "token.consumed",
      "token.minted",
      "token.expired",
    ]);
    const minted = told.events.flatMap((event) =>
      event.kind === "token.minted" ? [event.tokenId] : [],
    );
    expect(told.state.spentTokens.map((token) => token.id)).toEqual(minted);
  });
});

/** A run that waits for a result and for an answer, after an earlier run that had a wait. */
function scene() {
  const told = story()
    .prompt()
    .stand("external", { token: { hash: "b".repeat(64), expiresAt: null } });
  const older = { runId: told.run.id, token: told.token() };
  told.do("resumeWait", { runId: told.run.id, by: "me" });
  told.complete().prompt();
  told.stand("tool_result", { token: { hash: "c".repeat(64), expiresAt: null } });
  const consumed = told.token();
  told.do("resumeWait", { runId: told.run.id, by: "hook", token: consumed, key: "k" });
  const soon = told.secret(told.in(MINUTE));
  told.stand("external", { deadlineAt: told.in(600 * MINUTE), token: soon });
  const external = told.token();
  const approvalId = told.ask("t1");
  const question = told.token(told.run.waits[1]);
  return { told, older, consumed, external, approvalId, question };
}

const none = "0".repeat(32);

describe("a wrong token", () => {
  type Scene = ReturnType<typeof scene>;
  type Wrong = (s: Scene) => Partial<CommandInput<"resumeWait">>;
  const wrong: [string, string, Wrong][] = [
    ["unknown", "token_invalid", (s) => ({ token: { ...s.external, id: `rt_${none}` } })],
    ["right id, wrong secret", "token_invalid", (s) => ({ token: hash(s.external, "f") })],
    ["another token's secret", "token_invalid", (s) => ({ token: swap(s.external, s.question) })],
    ["of an older run", "token_mismatch", (s) => ({ token: s.older.token })],
    [
      "of an older run, shown there",
      "token_revoked",
      (s) => ({ runId: s.older.runId, token: s.older.token }),
    ],
    [
      "this run's, shown to an older one",
      "token_mismatch",
      (s) => ({ runId: s.older.runId, token: s.external }),
    ],
    [
      "of a run that never was",
      "token_mismatch",
      (s) => ({ token: { ...s.external, runId: `run_${none}` } }),
    ],
    ["of another session", "token_mismatch", () => ({ token: foreign() })],
    [
      "of another session, renamed to this run",
      "token_invalid",
      (s) => ({ token: { ...foreign(), runId: s.told.run.id } }),
    ],
    ["used up", "token_consumed", (s) => ({ token: s.consumed })],
    ["used up, under another key", "token_consumed", (s) => ({ token: s.consumed, key: "k2" })],
    [
      "used up, with a wrong secret",
      "token_invalid",
      (s) => ({ token: hash(s.consumed, "e"), key: "k" }),
    ],
    ["for another wait", "token_mismatch", (s) => ({ token: s.external, waitId: waitOf(s, 1) })],
    ["for another kind", "token_mismatch", (s) => ({ token: s.external, kind: "human" })],
    [
      "of a wait that never was",
      "token_mismatch",
      (s) => ({ token: s.external, waitId: `wait_${none}` }),
    ],
    ["a question's", "bad_input", (s) => ({ token: s.question })],
    ["not hex", "bad_input", (s) => ({ token: hash(s.external, "z") })],
    ["too short", "bad_input", (s) => ({ token: { ...s.external, hash: "ab" } })],
    ["upper case", "bad_input", (s) => ({ token: hash(s.external, "F") })],
    ["empty", "bad_input", (s) => ({ token: { ...s.external, hash: "" } })],
    ["not an id", "bad_input", (s) => ({ token: { ...s.external, id: "rt_../x" } })],
    ["no object", "bad_input", () => ({ token: "rt_1" as never })],
  ];

  it.each(wrong)(
    "(%s) is refused as %s, and changes nothing [R002-39] [R002-59] [P17]",
    (_, code, make) => {
      const s = scene();
      const before = s.told.state;
      const bytes = JSON.stringify(s.told.events);
      const error = s.told.refused("resumeWait", { runId: s.told.run.id, by: "x", ...make(s) });
      expect(error.code).toBe(code);
      expect(error.message.length).toBeGreaterThan(20);
      expect(s.told.state).toBe(before);
      expect(JSON.stringify(s.told.events)).toBe(bytes);
    },
  );

  it.each(wrong.filter(([, code]) => code.startsWith("token_")))(
    "(%s) answers no question either [P17]",
    (_, code, make) => {
      const s = scene();
      const { runId = s.told.run.id, token, key } = make(s);
      const { approvalId } = s;
      const answer = { runId, approvalId, decision: "allow", by: "x" } as const;
      const shown = { ...answer, ...(token ? { token } : {}), ...(key ? { key } : {}) };
      const error = s.told.refused("decide", shown);
      expect(error.code).toBe(code);
      expect(s.told.run.approvals.at(-1)?.decision).toBe(null);
    },
  );

  it("is expired by time that passed, not by a clock set an hour on or back [R002-59] [P17] [P18]", () => {
    for (const hours of [-1, 1]) {
      const { told, external } = scene();
      const input = { runId: told.run.id, by: "hook", token: external };
      told.time.clock.step(hours * 60 * MINUTE);
      told.pass(MINUTE - 1);
      expect(told.decide("resumeWait", input)).not.toHaveProperty("code");
      told.pass(1);
      expect(told.refused("resumeWait", input).code).toBe("token_expired");
    }
  });

  it("is expired by time that passed since it was minted, however the clock stood then [P17] [P18]", () => {
    for (const hours of [-1, 8]) {
      const told = waiting();
      told.time.clock.step(hours * 60 * MINUTE);
      told.do("mintToken", { runId: told.run.id, token: told.secret(told.in(MINUTE)) });
      told.pass(MINUTE - 1);
      expect(told.decide("resumeWait", resume(told))).not.toHaveProperty("code");
      told.pass(1);
      expect(told.refused("resumeWait", resume(told)).code).toBe("token_expired");
    }
  });
});

const hash = (token: { id: string; runId: string; hash: string }, digit: string) => ({
  ...token,
  hash: digit.repeat(64),
});
const swap = (token: { id: string; runId: string }, other: { hash: string }) => ({
  ...token,
  hash: other.hash,
});
const waitOf = (s: { told: Story }, i: number) => s.told.run.waits[i]?.id as string;

function foreign() {
  const told = story()
    .pass(1000)
    .prompt()
    .stand("external", { token: { hash: "d".repeat(64), expiresAt: null } });
  return told.token();
}

function expire(told: Story): void {
  told.pass(11 * MINUTE);
  told.do("expireWait", { runId: told.run.id, waitId: told.wait.id });
}
