import { type Event, type EventBody, recoveryWords, transcriptOf } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { noFindings } from "../../workspace/workspace-findings.ts";
import { type Recovered, receiptOf } from "./receipt.ts";

/** A run that an agent took, and whose call of this command was cut off. */
function cutOff(runId: string, command: string, continues?: string): EventBody[] {
  const of = { runId, attempt: 1 };
  const call = { ...of, toolCallId: `toolu_${runId}` };
  return [
    {
      kind: "run.started",
      runId,
      messageId: "msg_1",
      epoch: 1,
      bootId: "boot_1",
      model: null,
      ...(continues === undefined ? {} : { continues, from: "error" as const }),
    },
    { kind: "attempt.accepted", ...of, holderId: "holder_1" },
    { kind: "tool.started", ...call, name: "execute", input: { command }, gated: false },
    { kind: "tool.finished", ...call, status: "unknown", output: "", synthetic: true },
    { kind: "run.interrupted", runId, reason: "process_exit", bootId: "boot_1" },
  ];
}

/** The receipt of a session whose only message led to these events. */
function receiptAfter(...after: EventBody[]) {
  return receiptOf(recoveredAfter(...after));
}

function recoveredAfter(...after: EventBody[]): Recovered {
  const bodies: EventBody[] = [
    { kind: "message.user", messageId: "msg_1", content: "Ship it" },
    {
      kind: "agent.ready",
      agentSessionId: "a",
      holderId: "holder_1",
      contextFrom: null,
      cutOffRun: null,
      epoch: 1,
    },
    ...after,
  ];
  const ts = "2026-01-01T00:00:00.000Z";
  const transcript = transcriptOf(bodies.map((body, i): Event => ({ seq: i + 1, ts, ...body })));
  const up = {
    agentSessionId: "a",
    rung: "native",
    grade: "verified",
    contextFrom: null,
    cutOffRun: "run_3",
    verdict: null,
    recovered: null,
    refused: null,
  } as const;
  return { up, ms: 1, run: null, transcript, found: noFindings };
}

test("a receipt calls only finished work verified, and names perhaps lost memory of unfinished work", () => {
  const recovered = recoveredAfter(...cutOff("run_3", "git push"));
  const receipt = receiptOf(recovered);
  const { rung, grade } = recovered.up;
  expect(recoveryWords(rung, grade, 1)).toMatch(/Memory of finished work verified\.$/);
  expect(receipt.kept.join()).toMatch(/memory of finished work: .* match the session/);
  expect(receipt.lost.join()).toMatch(
    /^perhaps the agent's memory of unfinished tool calls.* with the first message it gets/,
  );
  const missing = [{ type: "tool", toolCallId: "t1", name: "Bash", from: 1 }] as const;
  const verdict = { grade: "partial", missing } as const;
  const partly = receiptOf({ ...recovered, up: { ...recovered.up, grade: "partial", verdict } });
  expect(partly.kept.join()).toMatch(/memory, except what is named as lost/);
  expect(partly.kept.join()).not.toMatch(/match the session/);
});

test("a receipt names the cut-off calls of all runs that the last one continues, by tool and input", () => {
  const receipt = receiptAfter(
    ...cutOff("run_1", "npm run migrate"),
    ...cutOff("run_2", `make ${"x".repeat(500)}`, "run_1"),
    ...cutOff("run_3", "git push", "run_2"),
  );
  expect(receipt.maybeTwice).toEqual([
    "Run npm run migrate",
    expect.stringMatching(/^Run make x{100,}…$/),
    "Run git push",
  ]);
  expect(receipt.evidence).toMatchObject({
    maybeTwice: ["toolu_run_1", "toolu_run_2", "toolu_run_3"],
  });
  expect(JSON.stringify([receipt.lost, receipt.maybeTwice])).not.toContain("toolu_");
});

test("a receipt with more cut-off calls than it can name names the newest", () => {
  const runs = Array.from({ length: 25 }, (_, i) =>
    cutOff(`run_${i}`, `step ${i}`, i === 0 ? undefined : `run_${i - 1}`),
  );
  const newest = Array.from({ length: 20 }, (_, i) => `Run step ${i + 5}`);
  expect(receiptAfter(...runs.flat()).maybeTwice).toEqual(newest);
});
