/**
 * [P18]: a change of the wall clock neither fires nor delays a deadline; only elapsed time does.
 */

import { join } from "node:path";
import type { Suite } from "../../long/suite.ts";
import { Driven } from "../children.ts";
import type { Job } from "../driver.ts";
import { fakeClock, whyNoFaketime } from "../faults.ts";
import { dropFolder, newFolder } from "../places.ts";
import { openSession } from "../served.ts";
import { Wire } from "../wire.ts";

const DEADLINE_MS = 3000;
const GRACE_MS = 2500;
const SWEEP_MS = 100;
/** Tolerance for lateness on a busy machine. */
const LATE_MS = 4000;
/**
 * Tolerance for earliness: the deadline is set a little before the wait is open, and timers round.
 */
const EARLY_MS = 150;

export const clock: Suite = {
  name: "clock",
  async run(context) {
    const title = (what: string) => `${what} [P18]`;
    const why = whyNoFaketime();
    const cases: [string, () => Promise<string[]>][] = [
      ["deadlines fire by elapsed time while the clock steps by −1 h", () => stepped(-3600)],
      ["deadlines fire by elapsed time while the clock steps by +24 h", () => stepped(86_400)],
      ["a token's expiry does not follow a step of the clock", tokens],
      ["a deadline that passed while no host ran waits for the grace time", restarted],
    ];
    if (why === null) {
      // The cases mostly wait, so they run in parallel.
      await Promise.all(cases.map(([what, body]) => context.test(title(what), body)));
    } else for (const [what] of cases) context.skip(title(what), why);
  },
};

interface Clocked {
  readonly wire: Wire;
  step(seconds: number): void;
  restart(downMs: number): Promise<void>;
}

async function clocked(act: (host: Clocked) => Promise<string[]>): Promise<string[]> {
  const folder = newFolder("clock");
  const fake = fakeClock(join(folder, "clock"));
  let life = 0;
  const start = async () => {
    const socket = join(folder, `socket-${++life}`);
    const job: Job = {
      data: join(folder, "data"),
      records: join(folder, "records"),
      work: { name: "serve", socket },
      policy: { sweep: SWEEP_MS, deadlineGrace: GRACE_MS },
    };
    const host = new Driven(job, { env: fake.env });
    await host.word("listening");
    return { host, wire: new Wire(socket) };
  };
  const end = async ({ host, wire }: Awaited<ReturnType<typeof start>>) => {
    wire.close();
    await host.kill();
    fake.forget(host.process.pid);
  };
  let now = await start();
  try {
    return await act({
      get wire() {
        return now.wire;
      },
      step: (seconds) => fake.step(seconds),
      async restart(downMs) {
        await end(now);
        await new Promise((resolve) => setTimeout(resolve, downMs));
        now = await start();
      },
    });
  } finally {
    await end(now);
    dropFolder(folder);
  }
}

/** Time from now until the run ends. */
async function untilOver(wire: Wire, session: string) {
  const from = performance.now();
  const run = await wire.get<{ interruption: string }>(session, "idle");
  return { ms: performance.now() - from, run };
}

function onTime(what: string, ms: number, wanted: number): string[] {
  if (ms < wanted - EARLY_MS) return [`${what}: fired after ${ms.toFixed(0)} ms, not ${wanted}`];
  if (ms > wanted + LATE_MS)
    return [`${what}: fired only after ${ms.toFixed(0)} ms, not ${wanted}`];
  return [];
}

const stepped = (seconds: number) =>
  clocked(async ({ wire, step }) => {
    const before = await openSession(wire, `await ${DEADLINE_MS}`, "waiting");
    step(seconds);
    const { ms, run } = await untilOver(wire, before.session);
    const problems = onTime("a wait opened before the step", ms, DEADLINE_MS);
    if (run.interruption !== "wait_timeout") problems.push(`interruption ${run.interruption}`);
    return problems;
  });

const tokens = () =>
  clocked(async ({ wire, step }) => {
    const { session, run } = await openSession(wire, "await 7200000", "waiting");
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const token = await wire.get<string>(session, "mint", { runId: run.id, expiresAt });
    step(86_400);
    const input = { runId: run.id, token, by: "link", key: "k", result: 1 };
    const answer = await wire.ask(session, "resumeWait", input);
    return "value" in answer
      ? []
      : [`an hour's token after a step of a day: ${JSON.stringify(answer)}`];
  });

const restarted = () =>
  clocked(async (host) => {
    const { session } = await openSession(host.wire, `await ${DEADLINE_MS / 2}`, "waiting");
    await host.restart(DEADLINE_MS / 2);
    const { ms } = await untilOver(host.wire, session);
    // "Ready" is printed a moment before the test can ask.
    return onTime("after a restart", ms, GRACE_MS - EARLY_MS);
  });
