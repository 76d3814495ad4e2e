/**
 * The crash suites: `node --conditions=holdfast-source test/crash/main.ts [--short] [--only a,b]
 * [--seed N] [--results FILE]`. They kill the real product, starve it and cut its power, and
 * compare the state after the next boot with the answers it gave before.
 */

import { join } from "node:path";
import { runSuites } from "../long/run.ts";
import { dismissAuditors } from "./audit.ts";
import { Driven, endAll, endAllNow, setCompileCache } from "./children.ts";
import { cleanUp, newFolder } from "./places.ts";
import { suites } from "./suites/index.ts";

setCompileCache(newFolder("compiled"));
await runSuites({
  name: "crash",
  suites,
  before: warmUp,
  async cleanUp(how) {
    if (how === "now") endAllNow();
    else {
      await dismissAuditors();
      await endAll();
    }
    cleanUp();
  },
});

/**
 * Fills the compile cache: only a process that exits normally writes it, and the killed ones read
 * it.
 */
async function warmUp(): Promise<void> {
  const folder = newFolder("warm");
  const job = { data: join(folder, "data"), records: join(folder, "records") };
  const host = new Driven({ ...job, work: { name: "boot", close: true } });
  const exit = await host.end(60_000);
  if (exit !== "0") throw new Error(`the product does not start: ${exit} ${host.stderr}`);
}
