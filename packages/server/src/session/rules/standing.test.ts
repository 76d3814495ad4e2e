import { type CommandInput, canonicalJson, type Json, stateLimits } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { ANY_INPUT } from "./standing.ts";
import { kinds, type Story, story } from "./testing/story.ts";

const granted = (more: Partial<CommandInput<"decide">> = {}, input: Json = { command: "ls" }) => {
  const told = story().prompt().launch();
  always(told, told.ask("t1", input), more);
  return told;
};
const always = (told: Story, approvalId: string, more: Partial<CommandInput<"decide">> = {}) =>
  told.do("decide", {
    runId: told.run.id,
    approvalId,
    decision: "allow_always",
    by: "me",
    ...more,
  });
/** True when a question for this input is allowed without asking the person. */
const passes = (told: Story, input: Json, toolName = "Bash") => {
  told.ask(`t${told.events.length}`, input, { toolName });
  return told.run.approvals.at(-1)?.decision === "allow";
};

describe("allow always", () => {
  it("is a rule of ours for exactly this tool and input, and answers the next question", () => {
    const told = granted();
    expect(told.state.rules).toMatchObject([
      { toolName: "Bash", pattern: canonicalJson({ command: "ls" }), scope: "session" },
    ]);
    const [rule] = told.state.rules;
    expect(passes(told, { command: "ls" })).toBe(true);
    expect(told.events.at(-1)).toMatchObject({
      kind: "approval.decided",
      decision: "allow",
      by: "rule",
      ruleId: rule?.id,
    });
    expect(told.run.waits).toEqual([]);
    expect(passes(told, { command: "ls -a" })).toBe(false);
  });

  it("does not match another tool, nor input that is only similar", () => {
    expect(passes(granted(), { command: "ls" }, "Write")).toBe(false);
    expect(passes(granted(), { command: "ls", more: 1 })).toBe(false);
    expect(passes(granted(), "ls")).toBe(false);
  });

  it("does not match an input that only begins with it, however many commands follow [S13]", () => {
    const more = Array.from({ length: 60 }, (_, n) => `echo ${n}`);
    for (const joint of [" && ", "; ", " | ", "\n", " & "]) {
      const told = granted();
      expect(passes(told, { command: ["ls", ...more].join(joint) })).toBe(false);
    }
    expect(passes(granted(), { command: ["ls", "&&", "rm"] })).toBe(false);
    expect(passes(granted(), { command: "ls\u202e" })).toBe(false);
  });

  it("is for the pattern that was shown, when one was", () => {
    const told = granted({ pattern: ANY_INPUT });
    expect(passes(told, { anything: true })).toBe(true);
    expect(passes(told, { anything: true }, "Write")).toBe(false);
  });

  it.each(["ls", "{}", '{ "command": "ls" }', "**"])(
    "is not for a pattern that is not of this question: %s",
    (pattern) => {
      const told = story().prompt().launch();
      const approvalId = told.ask("t1", { command: "ls" });
      const answer = {
        runId: told.run.id,
        approvalId,
        by: "me",
        decision: "allow_always",
      } as const;
      expect(told.refused("decide", { ...answer, pattern })).toMatchObject({
        code: "bad_input",
        message: expect.stringContaining("pattern"),
      });
      told.do("decide", { ...answer, pattern: canonicalJson({ command: "ls" }) });
      expect(told.state.rules).toHaveLength(1);
    },
  );

  it("cannot be given with a token: a token allows once or denies", () => {
    for (const decision of ["allow", "deny"] as const) {
      const told = story().prompt().launch();
      const approvalId = told.ask("t1", { command: "ls" });
      const answer = { runId: told.run.id, approvalId, by: "link", token: told.token() };
      for (const pattern of [{}, { pattern: ANY_INPUT }]) {
        const always = { ...answer, decision: "allow_always", ...pattern } as const;
        expect(told.refused("decide", always)).toMatchObject({
          code: "forbidden",
          message: expect.stringContaining("allow or deny"),
        });
      }
      told.do("decide", { ...answer, decision });
      expect(told.state.rules).toEqual([]);
    }
  });

  it("given for one run ends with the run", () => {
    const told = granted({ scope: "run" });
    expect(passes(told, { command: "ls" })).toBe(true);
    told.complete();
    expect(told.state.rules).toEqual([]);
    told.prompt();
    expect(passes(told, { command: "ls" })).toBe(false);
  });

  it("given for one run does not count in another, even if it was left behind", () => {
    const told = granted({ scope: "run" });
    const left = told.state.rules;
    told.complete().prompt();
    told.state = { ...told.state, rules: left };
    expect(passes(told, { command: "ls" })).toBe(false);
  });

  it("for the session outlives the run, and can be revoked", () => {
    const told = granted().complete().prompt();
    expect(passes(told, { command: "ls" })).toBe(true);
    const ruleId = told.state.rules[0]?.id as string;
    expect(kinds(told.do("revokeRule", { ruleId }))).toEqual(["rule.revoked"]);
    expect(passes(told, { command: "ls" })).toBe(false);
    expect(told.refused("revokeRule", { ruleId }).code).toBe("rule_not_found");
  });

  it.each([
    ["a rewind", (told: Story) => rewind(told)],
    ["a fork", (told: Story) => fork(told)],
    ["the session's end", (told: Story) => told.do("end", { reason: "explicit" })],
  ])("does not survive %s", (_, then) => {
    const told = granted().complete();
    then(told);
    expect(told.state.rules).toEqual([]);
  });

  it("twice for the same input is one rule", () => {
    const told = story().prompt();
    const [first, second] = [told.ask("t1"), told.ask("t2")];
    always(told, first);
    expect(kinds(always(told, second))).not.toContain("rule.granted");
    expect(told.state.rules).toHaveLength(1);
  });

  it("is refused when there are too many rules; the question stays open for a plain answer", () => {
    const told = story().prompt();
    for (let i = 0; i < stateLimits.rules; i++) {
      const approvalId = told.ask(`t${i}`, i);
      always(told, approvalId);
      told.do("deliver", { runId: told.run.id, approvalId });
    }
    const approvalId = told.ask("one more", "x");
    const answer = { runId: told.run.id, approvalId, by: "me" };
    const error = told.refused("decide", { ...answer, decision: "allow_always" });
    expect(error).toMatchObject({
      code: "limit_reached",
      message: expect.stringMatching(/Revoke/),
    });
    told.do("decide", { ...answer, decision: "allow" });
    expect(told.state.rules).toHaveLength(stateLimits.rules);
  });
});

function rewind(told: Story): void {
  const checkpointId = `ckpt_${"0".repeat(32)}`;
  told.do("rewind", { toSeq: told.state.seq - 1, checkpointId });
}

function fork(told: Story): void {
  told.do("fork", { from: { sessionId: `sess_${"0".repeat(32)}`, seq: 1 } });
}
