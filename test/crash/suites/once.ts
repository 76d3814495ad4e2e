/**
 * [P16] [P19] [P13] [P5] [P17]: once-only actions happen once, for any number of callers and
 * repeats.
 */

import { join } from "node:path";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { auditOf } from "../audit.ts";
import { Driven } from "../children.ts";
import { slowSyncs } from "../faults.ts";
import type { Final } from "../history.ts";
import { dropFolder, newFolder } from "../places.ts";
import { CLIENTS, count, openSession, type Race, racing, type Served, served } from "../served.ts";
import { Wire } from "../wire.ts";
import { forcedWrites } from "./forced-writes.ts";
import { wrongTokens } from "./wrong-tokens.ts";

const TRIES = 334;
export const SYNC_MS = 10;

export const once: Suite = {
  name: "once",
  async run(context) {
    const rounds = context.short ? 2 : 20;
    const title = (what: string) =>
      `${CLIENTS.length} processes × ${TRIES} tries × ${rounds}: ${what}`;
    await context.test(
      `${title("one token is consumed once, and its winner may repeat the call")} [P16] [R002-40] [R002-53]`,
      () => inRounds(context, rounds, tokenRound),
    );
    await context.test(
      `${title("one approval is decided once, and all callers learn by whom")} [P19] [F9]`,
      () => inRounds(context, rounds, approvalRound),
    );
    await context.test(`${title("one run is cancelled once")} [P13]`, () =>
      inRounds(context, rounds, cancelRound),
    );
    await context.test(
      `the host dies between commit and reply × ${rounds}: the same key gets the same answer [P16] [R002-53]`,
      () => inRounds(context, rounds, lostReplyRound),
    );
    const prompts = context.short ? 100 : 1000;
    await context.test(
      `${prompts} prompts, each reply dropped 4 times: ${prompts} stored [P5]`,
      () => droppedReplies(context, prompts),
    );
    await context.test("wrong tokens open no wait and write no event [P17]", () =>
      served((host) => wrongTokens(host.wire)),
    );
    await context.test(
      "the store itself refuses a second outcome, answer or token, an old seq and an old epoch [P6] [P12] [P13] [P16]",
      () => served((host) => forcedWrites(host.wire)),
    );
    const runs = context.short ? 120 : 2000;
    await context.test(
      `${runs} runs that complete, fail, are cancelled and killed: one outcome each [P13]`,
      () => oneOutcome(context, runs),
    );
  },
};

type Round = (host: Served, race: Race) => Promise<string[]>;

async function inRounds(context: Context, rounds: number, round: Round): Promise<string[]> {
  return served(
    (host) => racing(host, (race) => repeat(context, rounds, () => round(host, race))),
    slowSyncs(SYNC_MS),
  );
}

async function repeat(context: Context, rounds: number, act: () => Promise<string[]>) {
  return eachPoint(
    context,
    Array.from({ length: rounds }, (_, i) => i),
    act,
    1,
  );
}

function exactly(what: string, found: number, wanted: number): string[] {
  return found === wanted ? [] : [`${what}: ${found}, not ${wanted}`];
}

export const tokenRound: Round = async ({ wire }, race) => {
  const { session, run } = await openSession(wire, "await", "waiting");
  const token = await wire.get<string>(session, "token");
  const input = { runId: run.id, token, by: "$try", key: "$try", result: 1 };
  const tried = await race({ session, name: "resumeWait", input, tries: TRIES });
  const winners = tried.filter(({ value }) => value !== undefined);
  const losers = tried.filter(({ code }) => code === "token_consumed");
  const problems = [
    ...exactly("winners", winners.length, 1),
    ...exactly("told that it is consumed", losers.length, tried.length - 1),
    ...exactly("consumptions in the journal", await count(wire, session, "token.consumed"), 1),
    ...exactly("resumes in the journal", await count(wire, session, "run.resumed"), 1),
  ];
  await wire.get(session, "idle");
  const before = await wire.get<string>(session, "lines");
  const key = winners[0]?.by;
  const again = await wire.ask(session, "resumeWait", { ...input, by: key, key });
  if (!("value" in again)) problems.push(`the winner asked again: ${JSON.stringify(again)}`);
  if ((await wire.get<string>(session, "lines")) !== before) problems.push("asking again wrote");
  return problems;
};

interface Decided {
  readonly approvals: readonly { readonly decision: string | null; readonly by: string | null }[];
}

const approvalRound: Round = async ({ wire }, race) => {
  const { session, run } = await openSession(wire, "ask", "waiting");
  const approvalId = run.approvals[0]?.id;
  const input = { runId: run.id, approvalId, decision: "allow", by: "$try" };
  const tried = await race({ session, name: "decide", input, tries: TRIES });
  const winners = tried.filter(({ value }) => (value?.told.length ?? 0) > 0);
  const told = tried.map(({ value }) => (value?.run as Decided | undefined)?.approvals[0]?.by);
  return [
    ...exactly("deciders", winners.length, 1),
    ...exactly("decisions in the journal", await count(wire, session, "approval.decided"), 1),
    ...exactly("told the winner", told.filter((by) => by === winners[0]?.by).length, tried.length),
  ];
};

const cancelRound: Round = async ({ wire }, race) => {
  const { session, run } = await openSession(wire, "stall", "running");
  const input = { runId: run.id, by: "$try" };
  const tried = await race({ session, name: "cancel", input, tries: TRIES });
  const winners = tried.filter(({ value }) => (value?.told.length ?? 0) > 0);
  const others = tried.filter(({ code, value }) => code === "not_open" || value?.told.length === 0);
  await wire.get(session, "idle");
  return [
    ...exactly("cancels that won", winners.length, 1),
    ...exactly("cancels told the result", others.length, tried.length - 1),
    ...exactly("cancels in the journal", await count(wire, session, "run.cancel_requested"), 1),
    ...exactly("outcomes", await count(wire, session, "run.cancelled"), 1),
  ];
};

const lostReplyRound: Round = async (host) => {
  const { wire } = host;
  const { session, run } = await openSession(wire, "await", "waiting");
  const token = await wire.get<string>(session, "token");
  const input = { runId: run.id, token, by: "winner", key: "mine", result: 1 };
  const lost = await wire.ask(session, "resumeWait", input, "crash");
  const problems = "unknown" in lost ? [] : [`the dying host answered ${JSON.stringify(lost)}`];
  await host.restart();
  const again = await wire.ask(session, "resumeWait", input);
  if (!("value" in again)) problems.push(`the winner asked again: ${JSON.stringify(again)}`);
  const other = await wire.ask(session, "resumeWait", { ...input, by: "thief", key: "other" });
  if (!("code" in other && other.code === "token_consumed")) {
    problems.push(`another key got ${JSON.stringify(other)}`);
  }
  const consumed = await count(wire, session, "token.consumed");
  return [...problems, ...exactly("consumptions in the journal", consumed, 1)];
};

/** Each reply is lost four times; the fifth try is the first that gets an answer. */
async function droppedReplies(context: Context, prompts: number): Promise<string[]> {
  const perSession = 50;
  return served(async (host) => {
    const opened = await Promise.all(
      Array.from({ length: prompts / perSession }, () =>
        openSession(host.wire, "stall", "running"),
      ),
    );
    const all = opened.flatMap(({ session }) =>
      Array.from({ length: perSession }, (_, i) => ({ session, clientId: `message ${i}` })),
    );
    const problems = await eachPoint(
      context,
      all,
      async ({ session, clientId }) => {
        const wire = new Wire(host.socket);
        const input = { content: clientId, clientId };
        for (let i = 0; i < 4; i++) {
          const answer = await wire.ask(session, "prompt", input, "drop");
          if (!("unknown" in answer)) return [`a dropped reply said ${JSON.stringify(answer)}`];
        }
        const answer = await wire.ask(session, "prompt", input);
        wire.close();
        return "value" in answer ? [] : [JSON.stringify(answer)];
      },
      16,
    );
    let stored = 0;
    for (const { session } of opened) stored += await count(host.wire, session, "message.queued");
    return [...problems, ...exactly("messages stored", stored, prompts)];
  });
}

/** Half of the boots are killed in the middle of their races; the others complete the number. */
async function oneOutcome(context: Context, runs: number): Promise<string[]> {
  const folder = newFolder("races");
  const lives = context.short ? 2 : 8;
  const each = Math.ceil((2 * runs) / lives);
  for (let life = 0; life < lives; life++) {
    const host = new Driven({
      data: join(folder, "data"),
      records: join(folder, "records"),
      work: { name: "races", runs: each, seed: context.seed + life },
      // Ended sessions must stay, to be counted.
      policy: { endedKept: 1e9 },
    });
    await host.word("ready");
    if (life % 2 === 1) await host.word("done", 120_000);
    else await new Promise((resolve) => setTimeout(resolve, 50 + context.random.below(400)));
    await host.kill();
  }
  const audit = await auditOf(join(folder, "data"));
  dropFolder(folder);
  return "error" in audit ? [audit.error] : outcomesIn(audit.final, runs);
}

export function outcomesIn(final: Final, atLeast: number): string[] {
  const problems: string[] = [];
  let runs = 0;
  for (const { id, lines } of final.sessions) {
    const outcomes = new Map<string, number>();
    for (const line of lines) {
      const { kind, runId = "" } = JSON.parse(line) as { kind: string; runId?: string };
      if (kind === "run.started") outcomes.set(runId, outcomes.get(runId) ?? 0);
      if (/^run\.(completed|failed|cancelled|interrupted)$/.test(kind)) {
        outcomes.set(runId, (outcomes.get(runId) ?? 0) + 1);
      }
    }
    runs += outcomes.size;
    for (const [runId, n] of outcomes) if (n !== 1) problems.push(`${id} ${runId}: ${n} outcomes`);
  }
  if (runs < atLeast) problems.push(`void: only ${runs} runs`);
  return problems;
}
