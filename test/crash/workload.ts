/**
 * Stories of several sessions at once, through the product; the kill points are spread over them.
 */

import { type CommandInput, openRun, type SessionId } from "@holdfast/protocol";
import type { Executed } from "../../packages/server/src/session/owner.ts";
import { presentToken } from "../../packages/server/src/session/secrets.ts";
import type { Random } from "../long/seeds.ts";
import { type Witness, wallNow } from "./witness.ts";

/**
 * Covers prompts, queue, tools, blobs, approvals, tokens, waits, cancel, retry, bases, trim and
 * removal.
 */
export async function stories(witness: Witness, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => story(witness, i)));
  await witness.host.sweep();
}

async function story(w: Witness, i: number): Promise<void> {
  const id = await created(w, i % 4 === 3 ? { runDetailKept: 0 } : {});
  w.follow(id, 0, i % 2 === 0 ? 1000 : 3);
  await Promise.all([
    prompt(w, id, "talk 4", "a"),
    prompt(w, id, "tools", "b"),
    prompt(w, id, i % 2 === 0 ? "big" : "flaky", "c"),
  ]);
  const { seq } = await w.idle(id);
  w.follow(id, Math.floor(seq / 2));
  await prompt(w, id, "tools", "b");
  switch (i % 4) {
    case 0:
      await approval(w, id);
      await prompt(w, id, "stall", "open");
      await w.running(id);
      break;
    case 1:
      await externalWait(w, id);
      await prompt(w, id, "ask", "open");
      await w.waiting(id);
      break;
    case 2:
      await cancelled(w, id);
      await w.call(id, "rename", { title: `renamed in life ${w.host.journal.epoch}` });
      await removed(w, id);
      break;
    default:
      await prompt(w, id, "fail", "d");
      await w.idle(id);
  }
}

export async function created(w: Witness, policy: Record<string, number> = {}): Promise<SessionId> {
  const id = w.host.sessions.newId("session");
  await w.call(id, "create", {
    sessionId: id,
    tenant: "crash",
    title: "crash",
    agentName: "demo",
    policy,
  });
  return id;
}

export async function prompt(
  w: Witness,
  id: SessionId,
  content: string,
  name: string,
): Promise<Executed | null> {
  const clientId = `${name}-${w.host.journal.epoch}`;
  return w.call(id, "prompt", { content, clientId });
}

/**
 * Two people answer the same question, one of them by its link, and the winner repeats the answer.
 */
async function approval(w: Witness, id: SessionId): Promise<void> {
  await prompt(w, id, "ask", "ask");
  const run = openRun(await w.waiting(id));
  if (run === null) return;
  const question = { runId: run.id, approvalId: run.approvals.at(-1)?.id ?? "" };
  const token = tokenOf(w, id);
  const life = w.host.journal.epoch;
  const byToken = { ...question, decision: "allow", by: `link-${life}`, key: `k-${life}` } as const;
  await Promise.all([
    w.call(id, "decide", token === null ? byToken : { ...byToken, token }),
    w.call(id, "decide", { ...question, decision: "deny", by: `tab-${life}` }),
    w.call(id, "decide", token === null ? byToken : { ...byToken, token }),
  ]);
  await w.idle(id);
}

async function externalWait(w: Witness, id: SessionId): Promise<void> {
  await prompt(w, id, "await", "await");
  const run = openRun(await w.waiting(id));
  if (run === null) return;
  const token = tokenOf(w, id);
  const key = `resume-${w.host.journal.epoch}`;
  const input = { runId: run.id, by: "hook", key, result: { ok: true } };
  const presented = token === null ? input : { ...input, token };
  await Promise.all([w.call(id, "resumeWait", presented), w.call(id, "resumeWait", presented)]);
  await w.idle(id);
}

async function cancelled(w: Witness, id: SessionId): Promise<void> {
  await prompt(w, id, "stall", "stall");
  const run = openRun(await w.running(id));
  if (run === null) return;
  const life = w.host.journal.epoch;
  await Promise.all([
    w.call(id, "cancel", { runId: run.id, by: `first-${life}` }),
    w.call(id, "cancel", { runId: run.id, by: `second-${life}` }),
  ]);
  await w.idle(id);
}

/**
 * Ends a session, which the sweep then deletes; from here on the checker accepts that it is
 * missing.
 */
async function removed(w: Witness, id: SessionId): Promise<void> {
  const invoke = { t: "invoke", op: `remove ${id}`, at: wallNow(), s: id } as const;
  w.notebook.write({ ...invoke, name: "remove", mark: null, again: true });
  await w.call(id, "end", { reason: "explicit" });
}

function tokenOf(w: Witness, id: SessionId): CommandInput<"resumeWait">["token"] | null {
  const presented = presentToken(w.tokens.get(id) ?? "");
  return presented instanceof Error ? null : presented;
}

/** Many writers on few sessions, one event per call; the exact dense set is checked at the end. */
export async function writers(
  w: Witness,
  sessions: readonly SessionId[],
  count: number,
  each: number,
) {
  const writer = async (n: number) => {
    for (let i = 0; i < each; i++) {
      const session = sessions[(n + i) % sessions.length] as SessionId;
      await w.call(session, "rename", { title: `w${n} ${i} of ${w.host.journal.epoch}` });
    }
  };
  await Promise.all(Array.from({ length: count }, (_, n) => writer(n)));
}

const ENDS = ["talk 2", "tools", "fail", "flaky", "stall"] as const;

/** Runs that end by themselves, by a cancel or with their session, whichever comes first. */
export async function races(w: Witness, runs: number, random: Random): Promise<void> {
  let left = runs;
  const lane = async () => {
    while (left-- > 0) {
      const id = await created(w);
      const content = random.pick(ENDS);
      const [ticks, ends] = [random.below(12), random.below(8) === 0];
      await prompt(w, id, content, "race");
      for (let i = 0; i < ticks; i++) await new Promise(setImmediate);
      const runId = (await w.host.sessions.state(id)).run?.id ?? "";
      const by = ["one", "two"].map((name) => `${name}-${id}`);
      await Promise.all([
        ...by.map((who) => w.call(id, "cancel", { runId, by: who })),
        ...(ends ? [w.call(id, "end", { reason: "explicit" })] : []),
      ]);
      await w.idle(id);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

/**
 * Appends one event after another on any disk and reads all of them after each. Returns whether
 * writes were never refused, refused for good, or refused and later accepted again.
 */
export async function stubborn(w: Witness, most: number): Promise<string> {
  const id = w.host.sessions.newId("session");
  const about = { sessionId: id, tenant: "crash", title: "crash", agentName: "demo" };
  let isThere = false;
  let [refused, taken] = [0, 0];
  for (let i = 0; refused < most && taken < most; i++) {
    const executed = isThere
      ? await w.call(id, "rename", { title: `title ${i} of ${w.host.journal.epoch}` })
      : await w.call(id, "create", about);
    if (!isThere && executed !== null) {
      isThere = true;
      w.follow(id, 0);
    }
    if (executed === null) {
      refused++;
      taken = 0;
      await new Promise((resolve) => setTimeout(resolve, 50));
    } else {
      taken++;
      if (refused > 0 && taken >= 5) return "recovered";
    }
    const state = await w.host.sessions.state(id).catch(() => null);
    if (state === null) continue;
    const slice = await w.host.journal.read(id, 0, 1000);
    if (slice?.count !== state.seq)
      w.notebook.note("bad read", { slice: slice?.count, seq: state.seq });
  }
  return refused > 0 ? "refused" : "untouched";
}
