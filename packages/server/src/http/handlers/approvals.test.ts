import type { SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { done, type Script, text } from "../../testing/scripted-agent.ts";
import { testApp } from "../testing/test-app.ts";

const input = { cmd: "rm x" };
const script: Script = () => [
  { type: "tool_started", toolCallId: "t/1", name: "bash", input, gated: false },
  {
    type: "ask",
    toolCallId: "t/1",
    toolName: "bash",
    input,
    allowed: [
      { type: "tool_finished", toolCallId: "t/1", status: "completed", output: "gone" },
      text("Removed."),
    ],
    denied: [
      { type: "tool_finished", toolCallId: "t/1", status: "denied", output: "You said no" },
      text("Left it."),
    ],
  },
  done(),
];

async function asking() {
  const app = await testApp({ script });
  const { session, run } = await app.ask("createSession", {
    body: { agent: "demo", message: "clean up" },
  });
  const sessionId = session.id as SessionId;
  const runId = run?.id ?? "";
  await app.host.until(sessionId, "token.minted");
  const { run: waiting } = await app.ask("getRun", { params: { runId } });
  const approvalId = waiting.pendingApproval?.id ?? "";
  return { ...app, sessionId, waiting, params: { runId, approvalId }, at: { sessionId } };
}

describe("a question", () => {
  test("[R003-22] is shown with all that would run", async () => {
    const { waiting } = await asking();
    expect(waiting).toMatchObject({
      status: "awaiting_approval",
      pendingApproval: { toolUseId: "t/1", toolName: "bash", toolInput: input },
    });
  });

  test("[R003-29] is answered by its tool use's id, in the seed's own word", async () => {
    const { ask, host, sessionId, params } = await asking();
    const reply = await ask("decideApproval", {
      params: { runId: params.runId, approvalId: "t/1" },
      body: { decision: "approve" },
    });
    expect(reply).toMatchObject({
      success: true,
      approval: { id: params.approvalId, decision: "allow", by: "local" },
    });
    await host.until(sessionId, "run.completed");
    const { run } = await ask("getRun", { params });
    expect(run.contentParts).toMatchObject([
      { type: "tool", status: "completed", approval: { decision: "allow" } },
      { type: "text", text: "Removed." },
    ]);
  });

  test("is journalled with the credential of its author, because a device may be named like the host", async () => {
    const { ask, params, at } = await asking();
    await ask("decideApproval", { params, body: { decision: "deny" }, as: "local" });
    const { events } = await ask("listEvents", { params: at });
    const decided = events.find(({ kind }) => kind === "approval.decided");
    expect(decided).toMatchObject({ by: "local", credential: "host" });
  });

  test("[R003-44] denied lets the run go on with the denial", async () => {
    const { ask, host, sessionId, params } = await asking();
    const body = { decision: "deny", reason: "not that one" } as const;
    expect(await ask("decideApproval", { params, body })).toMatchObject({
      success: true,
      approval: { decision: "deny", reason: "not that one" },
    });
    await host.until(sessionId, "run.completed");
    const { run } = await ask("getRun", { params });
    expect(run).toMatchObject({
      status: "completed",
      contentParts: [
        { type: "tool", status: "denied", output: "You said no" },
        { text: "Left it." },
      ],
    });
  });

  test("has one answer; a later caller is told which, also after the run has ended", async () => {
    const { ask, host, sessionId, params } = await asking();
    const answers = await Promise.all([
      ask("decideApproval", { params, body: { decision: "deny" } }),
      ask("decideApproval", { params, body: { decision: "allow" } }),
    ]);
    expect(answers.map(({ success }) => success)).toEqual([true, false]);
    expect(answers.map(({ approval }) => approval.decision)).toEqual(["deny", "deny"]);
    await host.until(sessionId, "run.completed");
    const late = await ask("decideApproval", { params, body: { decision: "allow" } });
    expect(late).toMatchObject({ success: false, approval: { decision: "deny" } });
  });

  test("is refused with the digest of another question", async () => {
    const { refused, ask, params, waiting } = await asking();
    const decide = (digest: string) => ({ params, body: { decision: "allow", digest } as const });
    const problem = await refused("decideApproval", decide("another"));
    expect(problem).toMatchObject({ status: 409, code: "approval_mismatch" });
    const seen = waiting.pendingApproval?.digest ?? "";
    expect((await ask("decideApproval", decide(seen))).success).toBe(true);
  });

  test("with an unknown id is not found", async () => {
    const { refused, params } = await asking();
    for (const approvalId of ["appr_00000000000070008000000000000000", "t9"]) {
      const asked = { params: { ...params, approvalId }, body: { decision: "allow" } as const };
      expect((await refused("decideApproval", asked)).code).toBe("approval_not_found");
    }
  });

  test("can be answered after a restart, while the agent is not running", async () => {
    const { host, sessionId, params } = await asking();
    const next = await testApp({ host: await host.crash() });
    expect((await next.ask("getRun", { params })).run.status).toBe("awaiting_approval");
    const reply = await next.ask("decideApproval", { params, body: { decision: "allow" } });
    expect(reply.success).toBe(true);
    expect(await next.host.until(sessionId, "approval.decided")).toMatchObject({ by: "local" });
  });
});

describe("an answer by token alone", () => {
  test("needs no other credential, works once, and is repeated under its key", async () => {
    const { ask, refused, host, params } = await asking();
    const token = host.tokens[0] ?? "";
    const asked = { params, as: null, body: { decision: "allow", token } as const };
    expect(
      (await refused("decideApproval", { ...asked, body: { decision: "allow" } })).status,
    ).toBe(401);
    const first = await ask("decideApproval", { ...asked, key: "k" });
    expect(first).toMatchObject({ success: true, approval: { decision: "allow", by: "token" } });
    expect((await ask("decideApproval", { ...asked, key: "k" })).success).toBe(true);
    expect((await refused("decideApproval", asked)).code).toBe("token_consumed");
  });

  test("cannot allow always", async () => {
    const { refused, host, params } = await asking();
    const body = { decision: "allow_always", token: host.tokens[0] ?? "" } as const;
    const problem = await refused("decideApproval", { params, as: null, body });
    expect(problem).toMatchObject({ status: 403, code: "forbidden" });
  });
});

describe("a standing rule", () => {
  test("is granted by allowing always, listed, and revoked", async () => {
    const { ask, refused, params, at } = await asking();
    expect((await ask("listRules", { params: at })).rules).toEqual([]);
    await ask("decideApproval", { params, body: { decision: "allow_always" } });
    const { rules } = await ask("listRules", { params: at });
    expect(rules).toMatchObject([
      { toolName: "bash", pattern: '{"cmd":"rm x"}', scope: "session", runId: null },
    ]);
    const rule = { ...at, ruleId: rules[0]?.id ?? "" };
    expect((await ask("revokeRule", { params: rule })).rules).toEqual([]);
    expect((await refused("revokeRule", { params: rule })).code).toBe("rule_not_found");
  });
});
