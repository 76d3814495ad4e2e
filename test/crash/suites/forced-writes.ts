/**
 * A writer that bypasses every rule: the constraints of the store are the last defence, and they
 * hold.
 */

import type { EventBody } from "@holdfast/protocol";
import { openSession } from "../served.ts";
import type { Wire } from "../wire.ts";

export async function forcedWrites(wire: Wire): Promise<string[]> {
  const waited = await openSession(wire, "await", "waiting");
  const token = await wire.get<string>(waited.session, "token");
  const runId = waited.run.id;
  await wire.get(waited.session, "resumeWait", {
    runId,
    token,
    by: "owner",
    key: "key",
    result: 1,
  });
  await wire.get(waited.session, "idle");
  const asked = await openSession(wire, "ask", "waiting");
  const approvalId = asked.run.approvals[0]?.id ?? "";
  const answer = { runId: asked.run.id, approvalId, decision: "allow", by: "owner" } as const;
  await wire.get(asked.session, "decide", answer);
  await wire.get(asked.session, "idle");

  const [tokenId = ""] = token.split(".");
  const title = { kind: "session.renamed", title: "stale" } as const;
  const bootId = `boot_${"0".repeat(32)}`;
  const interrupted = {
    kind: "run.interrupted",
    runId,
    reason: "process_restart",
    bootId,
  } as const;
  const table: [string, string, EventBody[], number, number, string][] = [
    ["a second outcome", waited.session, [interrupted], 0, 0, "already_done"],
    [
      "a second consumption",
      waited.session,
      [{ kind: "token.consumed", runId, tokenId }],
      0,
      0,
      "already_done",
    ],
    [
      "a second decision",
      asked.session,
      [{ kind: "approval.decided", ...answer }],
      0,
      0,
      "already_done",
    ],
    ["two outcomes in one batch", asked.session, twice("run_new"), 0, 0, "already_done"],
    ["an old head", waited.session, [title], 1, 0, "seq_conflict"],
    ["a head to come", waited.session, [title], -1, 0, "seq_conflict"],
    ["an older life", waited.session, [title], 0, 1, "fenced"],
    ["a life to come", waited.session, [title], 0, -1, "fenced"],
  ];
  const problems: string[] = [];
  for (const [what, session, events, behind, epochs, wanted] of table) {
    const before = await wire.get<string>(session, "lines");
    const forced = await wire.ask(session, "force", { events, behind, epochs });
    const code = "code" in forced ? forced.code : JSON.stringify(forced);
    if (code !== wanted) problems.push(`${what}: ${code}, not ${wanted}`);
    if ((await wire.get<string>(session, "lines")) !== before) problems.push(`${what} was written`);
  }
  return problems;
}

function twice(runId: string): EventBody[] {
  const cancelled = { kind: "run.cancelled", runId, reason: "user" } as const;
  return [cancelled, cancelled];
}
