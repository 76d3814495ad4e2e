import { type CommandInput, type CommandName, errorTable, HostError } from "@holdfast/protocol";
import { commands, MAX_CONTENT } from "@holdfast/protocol/schemas";
import { describe, expect, it } from "vitest";
import { rules } from "./index.ts";
import type { Decision, Moment } from "./rule.ts";
import { HOLDER, type Story, story } from "./testing/story.ts";

const names = Object.keys(commands) as CommandName[];
const zeros = "0".repeat(32);

/**
 * A busy session: a run that waits for an answer and for a result, with one more message queued.
 */
function busy(): Story {
  const told = story().prompt().launch().tool("t1");
  told.ask("t1");
  told.stand("external").prompt("queued");
  return told;
}

function run(told: Story, name: CommandName, input: unknown): Decision {
  const rule = rules[name] as (state: unknown, input: unknown, at: Moment) => Decision;
  return rule(told.state, input, told.time.at());
}

/** Well-formed input for every command; the rule may still refuse it in the current state. */
const good: { readonly [N in CommandName]: (told: Story) => CommandInput<N> } = {
  create: () => ({ sessionId: `sess_${zeros}`, tenant: "t", title: "x", agentName: "demo" }),
  rename: () => ({ title: "x" }),
  setPolicy: () => ({ policy: { launchSilence: 1 } }),
  prompt: () => ({ content: "x", clientId: "c", model: "m", by: "me" }),
  editQueued: (told) => ({ messageId: told.state.queue[0]?.id ?? "", content: "x" }),
  removeQueued: (told) => ({ messageId: told.state.queue[0]?.id ?? "" }),
  releaseQueue: () => ({}),
  cancel: (told) => ({ runId: told.run.id, by: "me" }),
  settleCancel: (told) => ({ runId: told.run.id }),
  complete: (told) => ({ ...told.who, stopReason: "end_turn" }),
  processDied: (told) => ({ runId: told.run.id, reason: "process_exit" }),
  unreachable: (told) => ({ runId: told.run.id, holderId: HOLDER }),
  adopt: (told) => ({ runId: told.run.id }),
  notice: (told) => ({ runId: told.run.id }),
  dismiss: (told) => ({ runId: told.run.id }),
  retry: (told) => ({ runId: told.run.id, from: "start" }),
  pauseRun: (told) => ({ runId: told.run.id, reason: "idle" }),
  unpauseRun: (told) => ({ runId: told.run.id, by: "me" }),
  accept: (told) => ({ ...told.who, holderId: HOLDER }),
  failAttempt: (told) => ({ ...told.who, error: { code: "timeout", message: "x" } }),
  record: (told) => ({ ...told.who, output: [{ type: "text", text: "x" }] }),
  speak: () => ({ output: [{ type: "text", text: "x" }] }),
  openWait: (told) => ({ ...told.who, kind: "human", deadlineAt: null, token: told.secret() }),
  resumeWait: (told) => ({ runId: told.run.id, by: "me" }),
  expireWait: (told) => ({ runId: told.run.id, waitId: told.run.waits[0]?.id ?? "" }),
  mintToken: (told) => ({ runId: told.run.id, token: told.secret() }),
  revokeToken: (told) => ({
    runId: told.run.id,
    tokenId: told.run.waits[0]?.token?.id ?? "",
    reason: "x",
  }),
  requestApproval: (told) => ({
    ...told.who,
    toolCallId: "t2",
    toolName: "Bash",
    input: {},
    askedBy: null,
    token: told.secret(),
  }),
  decide: (told) => ({ runId: told.run.id, toolCallId: "t1", decision: "allow", by: "me" }),
  deliver: (told) => ({ runId: told.run.id, approvalId: told.run.approvals[0]?.id ?? "" }),
  deliverResult: (told) => ({ runId: told.run.id, waitId: `wait_${zeros}` }),
  markWorkspace: (told) => ({
    runId: told.run.id,
    approvalId: told.run.approvals[0]?.id ?? "",
    workspace: { digest: "a".repeat(64), head: null, files: [["a.txt", "1 2"]] },
  }),
  revokeRule: () => ({ ruleId: `rule_${zeros}` }),
  pause: () => ({ reason: "idle" }),
  revive: () => ({ mode: "revive" }),
  revived: () => ({ rung: "native", ms: 1 }),
  reviveFailed: () => ({ error: { code: "x", message: "y" } }),
  queueLaunch: () => ({ scope: "host", live: 8, limit: 8 }),
  agentReady: () => ({ agentSessionId: "a", holderId: HOLDER }),
  agentExited: () => ({ reason: "x" }),
  retireAgentSession: () => ({ agentSessionId: "a", reason: "x" }),
  recover: (told) => ({
    agentSessionId: "agent-1",
    of: told.who,
    parts: [{ type: "text", text: "x" }],
  }),
  launchHolder: () => ({ holderId: HOLDER }),
  loseWorkspace: () => ({ what: "gone" }),
  holderExited: () => ({ holderId: HOLDER, reason: "x" }),
  sandbox: () => ({ sandboxId: `sbx_${zeros}`, is: "ready" }),
  checkpoint: () => ({ checkpointId: `ckpt_${zeros}`, atSeq: 1, consistent: true, head: null }),
  checkpointFailed: () => ({ reason: "x" }),
  rewind: () => ({ toSeq: 1, checkpointId: `ckpt_${zeros}` }),
  fork: () => ({ from: { sessionId: `sess_${zeros}`, seq: 1 } }),
  end: () => ({ reason: "explicit" }),
  foldJournal: () => ({ upTo: 1 }),
  receipt: () => ({ runId: null, rung: null, kept: [], lost: [], maybeTwice: [], evidence: {} }),
  announce: () => ({}),
};

const polluted = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"a":1}}}');

/** Values that every field refuses, except fields that take any JSON. */
const garbage: readonly unknown[] = [
  undefined,
  null,
  true,
  Number.NaN,
  -1,
  1.5,
  2 ** 60,
  "",
  " ",
  "\u0000",
  "x".repeat(MAX_CONTENT + 1),
  "x".repeat(300 * 1024),
  "__proto__",
  "constructor",
  "../../etc/passwd",
  [],
  [[]],
  {},
  polluted,
  () => 1,
  Symbol("x"),
  10n,
  new Date(),
];

describe("every rule", () => {
  it.each(names)("%s refuses what is not an object", (name) => {
    const told = busy();
    for (const input of [undefined, null, 1, "x", true, [], () => 1]) {
      const decision = run(told, name, input);
      expect(decision, `${String(input)}`).toBeInstanceOf(HostError);
      expect(decision).toMatchObject({ code: "bad_input", message: expect.stringContaining(name) });
    }
  });

  it.each(names)("%s refuses input with a field missing, unless it may be left out", (name) => {
    const told = busy();
    const whole = good[name](told) as Record<string, unknown>;
    const shape = shapeOf(name);
    for (const field of Object.keys(whole)) {
      const { [field]: _, ...rest } = whole;
      if (shape[field]?.safeParse(undefined).success) continue;
      const decision = run(told, name, rest);
      expect(decision, field).toBeInstanceOf(HostError);
      expect((decision as HostError).message).toMatch(/Correct it and send it again/);
    }
  });

  it.each(names)(
    "%s refuses garbage in any field unless its schema allows it, and leaves the state unchanged",
    (name) => {
      const told = busy();
      const before = told.state;
      const frozen = JSON.stringify(before);
      const whole = good[name](told) as Record<string, unknown>;
      for (const field of Object.keys(whole)) {
        for (const value of garbage) {
          const decision = run(told, name, { ...whole, [field]: value });
          const accepted = shapeOf(name)[field]?.safeParse(value).success === true;
          if (!accepted) expect(decision, `${field}: ${String(value)}`).toBeInstanceOf(HostError);
          if (decision instanceof HostError) expectHelpful(decision);
        }
      }
      expect(told.state).toBe(before);
      expect(JSON.stringify(before)).toBe(frozen);
      expect(Object.prototype).not.toHaveProperty("admin");
    },
  );

  it.each(names)(
    "%s ignores fields it does not know, and keys that would poison an object",
    (name) => {
      const told = busy();
      const poison = JSON.stringify(good[name](told)).replace(
        "{",
        '{"__proto__":{"admin":true},"constructor":{"x":1},"unknown":"field",',
      );
      const text = poison.replace(",}", "}");
      const decision = run(told, name, JSON.parse(text));
      expect(JSON.stringify(decision)).not.toContain('unknown":');
      expect(JSON.stringify(decision)).not.toContain("admin");
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    },
  );

  it.each(names.filter((name) => name !== "create"))(
    "%s finds no session where there is none",
    (name) => {
      const told = busy();
      const nothing = story({ created: false });
      const decision = run(nothing, name, good[name](told));
      expect(decision).toMatchObject({ code: "session_not_found" });
    },
  );

  const named = names.filter((name) => "runId" in (good[name](busy()) as object));
  it.each(named.filter((name) => name !== "receipt"))(
    "%s knows only the session's latest run",
    (name) => {
      const told = busy();
      const decision = run(told, name, { ...good[name](told), runId: `run_${zeros}` });
      expect(decision).toBeInstanceOf(HostError);
      expect((decision as HostError).code).toMatch(/^(run_not_found|not_interrupted)$/);
    },
  );

  it("accepts JSON with poisonous keys as data, and keeps it data", () => {
    const told = story().prompt();
    const input = JSON.parse('{"__proto__":{"admin":true},"toString":"x","a":1}');
    told.ask("t1", input);
    const kept = told.run.approvals[0]?.input as Record<string, unknown>;
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect((kept as { admin?: boolean }).admin).toBeUndefined();
    expect(kept.a).toBe(1);
  });

  it("refuses JSON nested so deep that walking it could hurt", () => {
    const told = story().prompt();
    const question = { ...told.who, toolCallId: "t", toolName: "n", askedBy: null };
    for (const depth of [101, 5000]) {
      const input = JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`);
      const decision = run(told, "requestApproval", { ...question, input, token: told.secret() });
      expect(decision).toMatchObject({
        code: "bad_input",
        message: expect.stringContaining("nested deeper than 100 levels"),
      });
    }
    const fits = JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`);
    told.ask("t", fits);
  });

  it("copies its input: changing the input afterwards leaves the decision unchanged", () => {
    const told = story().prompt();
    const input = { command: ["ls"] };
    told.ask("t1", input);
    input.command[0] = "rm";
    expect(told.run.approvals[0]?.input).toEqual({ command: ["ls"] });
  });
});

function shapeOf(
  name: CommandName,
): Record<string, { safeParse(v: unknown): { success: boolean } }> {
  return commands[name].shape as never;
}

function expectHelpful(error: HostError): void {
  expect(errorTable).toHaveProperty(error.code);
  expect(error.message.length).toBeGreaterThan(15);
  expect(error.message.length).toBeLessThan(2000);
}
