import { HostError, type Json, type SessionState, stateLimits } from "@holdfast/protocol";
import { MAX_EVENT_BYTES } from "@holdfast/protocol/schemas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../base/policy.ts";
import { jsonBytes } from "./size.ts";
import { choices, freshSeed, randomStory } from "./testing/random-story.ts";
import { type Story, story } from "./testing/story.ts";

/** The largest possible state in bytes; states of real sessions are a few KB. */
const MOST = 6 * 1024 * 1024;

/** A character that takes six bytes of JSON. */
const widest = (length: number) => "\u0001".repeat(length);

/** Repeats an action until the rules refuse it, and returns the refusal. */
function until(act: (i: number) => unknown): string {
  for (let i = 0; i < 300; i++) {
    try {
      act(i);
    } catch (error) {
      if (error instanceof HostError) return error.code;
      throw error;
    }
  }
  return "never";
}

const lists = (state: SessionState): Record<string, number> => ({
  queue: state.queue.length,
  rules: state.rules.length,
  clients: state.clients.length,
  spentTokens: state.spentTokens.length,
  approvals: state.run?.approvals.length ?? 0,
  waits: state.run?.waits.length ?? 0,
  openTools: state.run?.openTools.length ?? 0,
  results: state.run?.results.length ?? 0,
});

describe("the queue", () => {
  it("takes a hundred messages, and then says so", () => {
    const told = story().prompt();
    expect(until((i) => told.prompt(`${i}`))).toBe("queue_full");
    expect(told.state.queue).toHaveLength(defaultPolicy.queue);
    const first = told.state.queue[0]?.id as string;
    told.do("removeQueued", { messageId: first });
    told.prompt("fits again");
  });

  it("takes a megabyte in all, by sending and by editing", () => {
    const told = story().prompt();
    const long = "x".repeat(104_000);
    expect(until(() => told.prompt(long))).toBe("queue_full");
    expect(told.state.queue).toHaveLength(10);
    expect(jsonBytes(told.state.queue)).toBeLessThan(defaultPolicy.queueBytes + 10_000);
    const messageId = told.state.queue[0]?.id as string;
    const error = told.refused("editQueued", { messageId, content: "y".repeat(120_000) });
    expect(error).toMatchObject({ code: "queue_full", message: expect.stringMatching(/Remove/) });
    told.do("editQueued", { messageId, content: "short" });
    told.prompt("fits again");
  });

  it("counts bytes, not characters", () => {
    const told = story().prompt();
    expect(until(() => told.prompt(`x${widest(40_000)}`))).toBe("queue_full");
    expect(told.state.queue).toHaveLength(4);
    expect(told.refused("prompt", { content: `x${widest(60_000)}` }).code).toBe("queue_full");
    told.complete().complete().complete().complete().complete();
    expect(told.refused("prompt", { content: `x${widest(60_000)}` }).code).toBe("too_large");
  });
});

describe("questions", () => {
  it("are at most 32 at a time, answered or not, until they are delivered", () => {
    const told = story().prompt();
    expect(until((i) => told.ask(`t${i}`))).toBe("limit_reached");
    expect(told.run.approvals).toHaveLength(stateLimits.approvals);
    const approvalId = told.run.approvals[0]?.id as string;
    const answer = { runId: told.run.id, approvalId, decision: "deny", by: "me" } as const;
    told.do("decide", answer);
    expect(until(() => told.ask("x"))).toBe("limit_reached");
    told.do("deliver", { runId: told.run.id, approvalId });
    told.ask("x");
  });

  it("are at most a megabyte in all", () => {
    const told = story().prompt();
    const input = "x".repeat(200_000);
    expect(until((i) => told.ask(`t${i}`, input))).toBe("limit_reached");
    expect(told.run.approvals).toHaveLength(5);
  });

  it("that are over stay known for a while without what they asked", () => {
    const told = story().prompt();
    for (let i = 0; i < 50; i++) {
      const approvalId = told.ask(`t${i}`, { big: "x".repeat(10_000) });
      told.do("decide", { runId: told.run.id, approvalId, decision: "deny", by: "me" });
      told.do("deliver", { runId: told.run.id, approvalId });
    }
    expect(told.run.approvals).toHaveLength(stateLimits.approvalsOver + 1);
    expect(jsonBytes(told.run.approvals)).toBeLessThan(20_000);
  });
});

it("waits are at most 64 at a time", () => {
  const told = story().prompt();
  expect(until(() => told.stand("external"))).toBe("limit_reached");
  expect(told.run.waits).toHaveLength(stateLimits.waits);
});

describe("results that were not delivered", () => {
  const resume = (told: Story, result: Json) =>
    told.stand("external").do("resumeWait", { runId: told.run.id, by: "x", result });

  it("are at most 64, and can be given again once they are delivered", () => {
    const told = story().prompt();
    expect(until((i) => resume(told, i))).toBe("limit_reached");
    expect(told.run.results).toHaveLength(stateLimits.results);
    const waitId = told.run.results[0]?.waitId as string;
    told.do("deliverResult", { runId: told.run.id, waitId });
    told.do("resumeWait", { runId: told.run.id, by: "x", result: "fits again" });
  });

  it("are at most a megabyte in all", () => {
    const told = story().prompt();
    expect(until(() => resume(told, "x".repeat(200_000)))).toBe("limit_reached");
    expect(told.run.results).toHaveLength(5);
  });
});

it("standing rules are at most a quarter of a megabyte in all", () => {
  const told = story().prompt();
  const grant = (i: number) => {
    const approvalId = told.ask(`t${i}`, `${i}${"x".repeat(15_000)}`);
    const answer = { runId: told.run.id, approvalId, by: "me" };
    try {
      told.do("decide", { ...answer, decision: "allow_always" });
    } finally {
      if (told.run.approvals.at(-1)?.decision === null) {
        told.do("decide", { ...answer, decision: "deny" });
      }
      told.do("deliver", { runId: told.run.id, approvalId });
    }
  };
  expect(until(grant)).toBe("limit_reached");
  expect(told.state.rules).toHaveLength(17);
});

it("a state is never larger than 6 MB, even when everything is as full and as wide as it can be", () => {
  const told = full();
  expect(lists(told.state)).toMatchObject({
    clients: stateLimits.clients,
    spentTokens: stateLimits.spentTokens,
    waits: stateLimits.waits,
    openTools: stateLimits.openTools,
  });
  const bytes = jsonBytes(told.state);
  expect(bytes).toBeGreaterThan(MOST / 2);
  expect(bytes).toBeLessThan(MOST);
});

const limits = { ...stateLimits, queue: defaultPolicy.queue };

it("a state stays small over a long session: no list grows with the journal", () => {
  fc.assert(
    fc.property(choices(1500), (all) => {
      const told = randomStory(all);
      for (const [name, length] of Object.entries(lists(told.state))) {
        const over = name === "approvals" ? stateLimits.approvalsOver : 0;
        const limit = limits[name as keyof typeof limits] + over;
        expect(length, name).toBeLessThanOrEqual(limit);
      }
      expect(jsonBytes(told.state)).toBeLessThan(64 * 1024);
    }),
    { numRuns: 20, seed: freshSeed("long lives") },
  );
});

it("no rule decides an event that the journal would refuse", () => {
  const told = story().prompt().launch();
  const huge = "x".repeat(MAX_EVENT_BYTES);
  const refused = [
    told.refused("resumeWait", { runId: told.stand("external").run.id, by: "me", result: huge }),
    told.refused("requestApproval", {
      ...told.who,
      toolCallId: "t",
      toolName: "n",
      input: huge,
      askedBy: null,
      token: told.secret(),
    }),
    told.refused("receipt", {
      runId: null,
      rung: null,
      kept: [],
      lost: [],
      maybeTwice: [],
      evidence: { huge },
    }),
    told.refused("record", { ...told.who, output: [{ type: "part", part: { huge } }] }),
  ];
  expect(refused.map((error) => error.code)).toEqual(Array(4).fill("too_large"));
});

/** A state with every list at its limit, filled with the characters that take most bytes. */
function full(): Story {
  const told = story({ created: false }).create({
    title: widest(500),
    tenant: widest(200),
    agentName: widest(200),
    model: widest(200),
    workspace: { kind: "clone", path: widest(4096), branch: widest(500) },
  });
  for (let i = 0; i < stateLimits.clients; i++) {
    told.prompt("x", { clientId: `${i}${widest(190)}` }).complete();
  }
  told.do("reviveFailed", { error: { code: "x", message: widest(16_384) } });
  told.prompt();
  for (let i = 0; i < 17; i++) grant(told, `${i}${"\\".repeat(3500)}`);
  for (let i = 0; i < stateLimits.spentTokens; i++) {
    told.stand("external");
    const key = `${i}${widest(190)}`;
    const result = i % 2 === 0 && i < 8 ? `x${widest(40_000)}` : "";
    told.do("resumeWait", { runId: told.run.id, by: "x", token: told.token(), key, result });
  }
  told.do("failAttempt", { ...told.who, error: { code: "timeout", message: widest(16_384) } });
  const open = stateLimits.openTools;
  for (let i = 0; i < open; i++) {
    const started = { toolCallId: `${i}${widest(490)}`, name: widest(200), input: {}, gated: true };
    told.do("record", { ...told.who, output: [{ type: "tool_started", ...started }] });
  }
  until((i) => told.ask(`${i}${widest(490)}`, `x${widest(40_000)}`, { toolName: widest(200) }));
  until((i) => told.ask(`${i}${widest(490)}`, "x", { toolName: widest(200) }));
  until(() => told.stand("external"));
  until(() => told.prompt(`x${widest(40_000)}`));
  until(() => told.prompt("x", { model: widest(200) }));
  return told;
}

function grant(told: Story, input: string): void {
  const approvalId = told.ask("t", input);
  const answer = { runId: told.run.id, approvalId, by: widest(200), reason: widest(4096) };
  told.do("decide", { ...answer, decision: "allow_always" });
  told.do("deliver", { runId: told.run.id, approvalId });
}
