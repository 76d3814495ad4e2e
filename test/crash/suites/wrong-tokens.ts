/** The table of [P17]: every token that must not open the wait, with the error for its bearer. */

import { openSession } from "../served.ts";
import type { Wire } from "../wire.ts";

export async function wrongTokens(wire: Wire): Promise<string[]> {
  const spent = await openSession(wire, "await", "waiting");
  const spentToken = await wire.get<string>(spent.session, "token");
  const resume = { runId: spent.run.id, by: "owner", key: "k", result: 1 };
  await wire.get(spent.session, "resumeWait", { ...resume, token: spentToken });
  await wire.get(spent.session, "idle");

  const { session, run } = await openSession(wire, "await", "waiting");
  const foreign = await openSession(wire, "await", "waiting");
  const foreignToken = await wire.get<string>(foreign.session, "token");
  const asked = await openSession(wire, "ask", "waiting");
  const askedToken = await wire.get<string>(asked.session, "token");
  const revoked = await wire.get<string>(session, "token");
  const expiresAt = new Date(Date.now() - 1000).toISOString();
  const expired = await wire.get<string>(session, "mint", { runId: run.id, expiresAt });
  const right = await wire.get<string>(session, "mint", { runId: run.id, expiresAt: null });
  const [id = "", hex = "", secret = ""] = right.split(".");
  const [otherId = ""] = foreignToken.split(".");
  const flipped = `${secret.slice(0, -2)}${secret.endsWith("AA") ? "BB" : "AA"}`;
  const otherWait = foreign.run as unknown as { waits: { id: string }[] };

  const here = { session, runId: run.id };
  const table: [string, string | null, { session: string; runId: string }, object, RegExp][] = [
    ["no token at all", "", here, {}, /^token_invalid$/],
    ["not a token", "open sesame", here, {}, /^token_invalid$/],
    ["cut short", right.slice(0, -10), here, {}, /^token_invalid$/],
    ["something added", `${right}.x`, here, {}, /^token_invalid$/],
    ["another secret", `${id}.${hex}.${flipped}`, here, {}, /^token_invalid$/],
    ["another token's id", `${otherId}.${hex}.${secret}`, here, {}, /^token_invalid$/],
    ["other capitals", right.toUpperCase(), here, {}, /^token_invalid$/],
    ["of another session", foreignToken, here, {}, /^token_mismatch$/],
    [
      "for another session's run",
      right,
      { session: foreign.session, runId: foreign.run.id },
      {},
      /^token_mismatch$/,
    ],
    ["revoked by a newer one", revoked, here, {}, /^token_(revoked|invalid)$/],
    ["expired", expired, here, {}, /^token_(expired|revoked|invalid)$/],
    ["of another kind of wait", right, here, { kind: "human" }, /^token_mismatch$/],
    ["of another wait", right, here, { waitId: otherWait.waits[0]?.id }, /^token_mismatch$/],
    [
      "consumed, with another key",
      spentToken,
      { session: spent.session, runId: spent.run.id },
      { key: "x" },
      /^token_consumed$/,
    ],
    [
      "an approval's, to resume",
      askedToken,
      { session: asked.session, runId: asked.run.id },
      {},
      /^bad_input$/,
    ],
  ];
  const problems: string[] = [];
  for (const [what, token, target, more, wanted] of table) {
    const before = await everything(wire, [session, foreign.session, asked.session, spent.session]);
    const input = { runId: target.runId, by: "thief", key: `t ${what}`, token, ...more };
    const answer = await wire.ask(target.session, "resumeWait", input);
    const after = await everything(wire, [session, foreign.session, asked.session, spent.session]);
    const code = "code" in answer ? answer.code : JSON.stringify(answer);
    if (!wanted.test(code)) problems.push(`${what}: ${code}`);
    if (before !== after) problems.push(`${what}: the journal changed`);
  }
  const answer = await wire.ask(session, "resumeWait", { ...resume, runId: run.id, token: right });
  if (!("value" in answer)) problems.push(`the right one was refused: ${JSON.stringify(answer)}`);
  return problems;
}

async function everything(wire: Wire, sessions: readonly string[]): Promise<string> {
  const all = await Promise.all(sessions.map((session) => wire.get<string>(session, "lines")));
  return all.join("\0");
}
