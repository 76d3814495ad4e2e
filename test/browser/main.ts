/**
 * The page in a real browser against a real host: `npm run test:browser [-- --short] [--only a,b]
 * [--seed N]`. Each test compares what a person sees with the journal.
 */

import { runSuites } from "../long/run.ts";
import type { Suite } from "../long/suite.ts";
import { endWorlds } from "../rounds/worlds.ts";
import { endBrowsers, whyNoChromium } from "./chromium.ts";
import { big } from "./suites/big.ts";
import { decisions } from "./suites/decisions.ts";
import { drift } from "./suites/drift.ts";
import { foreign } from "./suites/foreign.ts";
import { inert } from "./suites/inert.ts";
import { list } from "./suites/list.ts";
import { mutants } from "./suites/mutants.ts";
import { once } from "./suites/once.ts";
import { outbox } from "./suites/outbox.ts";
import { phones } from "./suites/phone.ts";
import { readers } from "./suites/readers.ts";
import { restarts } from "./suites/restarts.ts";
import { runs } from "./suites/runs.ts";
import { sleep } from "./suites/sleep.ts";
import { tabs } from "./suites/tabs.ts";
import { unbroken } from "./suites/unbroken.ts";

const suites = [
  ...[sleep, tabs, runs, restarts, outbox, once, drift, list, foreign, inert, big, readers],
  ...[decisions, phones, unbroken, mutants],
];

const why = whyNoChromium();

/** The same titles as skipped tests, so that unproved ones are listed by name. */
const skipped = (suite: Suite): Suite => ({
  name: suite.name,
  run: (context) =>
    suite.run({ ...context, test: async (title) => context.skip(title, why ?? "") }),
});

await runSuites({
  name: "browser",
  suites: why === null ? suites : suites.map(skipped),
  async cleanUp() {
    await endBrowsers();
    await endWorlds();
  },
});
