/**
 * Checks that the suites can fail. Each mutant breaks the product (or its disk) in one way, and the
 * smallest run of the suite that should notice must turn red.
 */

import { existsSync } from "node:fs";
import { isCaught, whatIs } from "../../long/mutants.ts";
import type { Random } from "../../long/seeds.ts";
import type { Suite } from "../../long/suite.ts";
import { SYNCS, slowSyncs, strace, whyNoLoop, whyNoStrace } from "../faults.ts";
import { racing, served } from "../served.ts";
import { flipIn, Workers } from "./corrupt.ts";
import { forcedWrites } from "./forced-writes.ts";
import { crashedGroup } from "./interrupt.ts";
import { failOnce } from "./iofault.ts";
import { leftBehind } from "./killsweep.ts";
import { SYNC_MS, tokenRound } from "./once.ts";
import { killInside } from "./phantom.ts";
import { cutAfterStart, cutLife } from "./powercut.ts";
import { preparedStores } from "./prepared-stores.ts";

interface Control {
  readonly what: string;
  readonly by: string;
  readonly mutant?: string;
  /** True for the quick ones, which the short form includes. */
  readonly quick?: true;
  readonly why: () => string | null;
  readonly run: (random: Random) => Promise<readonly string[]>;
}

const always = () => null;
const CUTS = [200, 150, 100] as const;

/** A control with a patched host. The host may also die of the fault, which counts as noticed. */
const patched = (mutant: string, control: Omit<Control, "what" | "mutant">): Control => ({
  ...control,
  mutant,
  what: whatIs(mutant),
});

const lie = [`${SYNCS.join()}:retval=0`];
const eatmydata = [
  "/usr/lib/x86_64-linux-gnu/libeatmydata.so",
  "/usr/lib/aarch64-linux-gnu/libeatmydata.so",
  "/usr/lib/libeatmydata.so",
].find(existsSync);
const everySync = [...SYNCS, "sync_file_range", "syncfs", "sync", "msync"];

const controls: readonly Control[] = [
  patched("normal", {
    by: "powercut",
    quick: true,
    why: whyNoLoop,
    run: () => cutLife(CUTS, { mutant: "normal" }),
  }),
  {
    what: "(b) a disk whose syncs do nothing",
    by: "powercut",
    why: () => whyNoLoop() ?? whyNoStrace(),
    run: () => cutLife(CUTS, { under: strace(lie, SYNCS) }),
  },
  {
    what: `(c) eatmydata${eatmydata === undefined ? ", by strace" : ""}`,
    by: "powercut",
    why: () => whyNoLoop() ?? (eatmydata === undefined ? whyNoStrace() : null),
    run: () =>
      cutLife(
        CUTS,
        eatmydata === undefined
          ? { under: strace([`${everySync.join()}:retval=0`], everySync) }
          : { env: { LD_PRELOAD: eatmydata } },
      ),
  },
  patched("directory", {
    by: "powercut",
    why: whyNoLoop,
    run: () => cutAfterStart({ mutant: "directory" }),
  }),
  patched("token", {
    by: "once",
    quick: true,
    why: always,
    run: () =>
      served((host) => racing(host, (race) => untilRed(() => tokenRound(host, race))), {
        ...slowSyncs(SYNC_MS),
        mutant: "token",
      }),
  }),
  patched("outcome", {
    by: "once",
    quick: true,
    why: always,
    run: () => served((host) => forcedWrites(host.wire), { mutant: "outcome" }),
  }),
  patched("early", {
    by: "phantom",
    why: whyNoStrace,
    run: () => killInside({ ack: 6, into: 100 }, { mutant: "early" }),
  }),
  patched("again", {
    by: "interrupt",
    why: whyNoStrace,
    run: async () => (await crashedGroup(wholeBoots, { mutant: "again" })).problems,
  }),
  patched("checksum", { by: "corrupt", why: always, run: flips }),
  patched("sequence", {
    by: "once",
    why: always,
    run: () => served((host) => forcedWrites(host.wire), { mutant: "sequence" }),
  }),
  patched("goingOn", {
    by: "iofault",
    why: whyNoStrace,
    run: async () =>
      failOnce({ error: "EIO", n: 16, mode: "once" }, await leftBehind(), { mutant: "goingOn" }),
  }),
];

/** Kill points that no boot reaches, so that boots complete; strace counts no further. */
const wholeBoots = [
  { call: "pwrite64", n: 65_000 },
  { call: "pwrite64", n: 65_000 },
] as const;

/**
 * Repeats a race up to as many rounds as the suite itself makes, because it is not lost every time.
 */
async function untilRed(round: () => Promise<string[]>): Promise<string[]> {
  for (let i = 0; i < 20; i++) {
    const problems = await round();
    if (problems.length > 0) return problems;
  }
  return [];
}

async function flips(random: Random): Promise<string[]> {
  const { closed } = await preparedStores();
  const workers = new Workers({ mutant: "checksum" });
  try {
    for (let i = 0; i < 60; i++) {
      const made = { ...flipIn(random, [closed]), open: "store", repair: false } as const;
      const problems = await workers.attempt(made);
      if (problems.length > 0) return [...problems];
    }
    return [];
  } finally {
    await workers.end();
  }
}

export const mutants: Suite = {
  name: "mutants",
  async run(context) {
    for (const control of controls) {
      if (context.short && control.quick !== true) continue;
      const title = `mutant ${control.what} is caught by ${control.by}`;
      const why = control.why();
      if (why === null)
        await context.test(title, () =>
          isCaught(context, control.mutant, () => control.run(context.random)),
        );
      else context.skip(title, why);
    }
  },
};
