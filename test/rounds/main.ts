/**
 * The counts of the promise sheet, with real hosts, holders and agents: `npm run test:rounds [--
 * --short] [--only a,b] [--seed N]`.
 */

import { runSuites } from "../long/run.ts";
import { cancels } from "./suites/cancels.ts";
import { floods } from "./suites/floods.ts";
import { folds } from "./suites/folds.ts";
import { interrupts } from "./suites/interrupts.ts";
import { mutants } from "./suites/mutants.ts";
import { orphans } from "./suites/orphans.ts";
import { stops } from "./suites/stops.ts";
import { strangers } from "./suites/strangers.ts";
import { swaps } from "./suites/swaps.ts";
import { endWorlds } from "./worlds.ts";

const suites = [orphans, cancels, interrupts, floods, stops, strangers, swaps, folds, mutants];
await runSuites({ name: "rounds", suites, cleanUp: endWorlds });
