/**
 * Plants every fault of `list/`, one at a time, and runs the test that must notice it:
 * `npm run test:mutants [-- --short] [--only rules,journal] [--seed N] [--results FILE]`.
 * The short form leaves out tests that take long.
 */

import { runSuites } from "../long/run.ts";
import type { Context, Suite } from "../long/suite.ts";
import { controlProblems, noticeProblems } from "./judge.ts";
import { lists } from "./list/index.ts";
import type { Mutant } from "./mutant.ts";
import { PatchedVitest } from "./patched-vitest.ts";

/**
 * `npm test` must stay short: what does not fit is left to `npm run test:mutants`. About half of
 * this time goes to the suites that run beside it.
 */
const SHORT_SECONDS = 60;

const vitest = await PatchedVitest.open();
const begun = performance.now();
const isOver = () => performance.now() - begun > SHORT_SECONDS * 1000;

const suites = Object.entries(lists).map(
  ([name, mutants]): Suite => ({
    name,
    async run(context) {
      const wanted = mutants.filter(({ long }) => !(context.short && long));
      const groups = Object.entries(Object.groupBy(wanted, fileOf));
      // In the short form the seed chooses the first group, because the time is not enough for all.
      const first = context.short ? context.random.below(groups.length) : 0;
      let left = wanted.length;
      for (const [file, group = []] of [...groups.slice(first), ...groups.slice(0, first)]) {
        if (context.short && isOver()) break;
        await notices(context, file, group);
        left -= group.length;
      }
      if (left > 0)
        context.say(`${left} are left to npm run test:mutants: ${SHORT_SECONDS} s are over`);
    },
  }),
);

await runSuites({ name: "mutants", suites, cleanUp: () => vitest.close() });

/** The control runs once for all mutants that one file must notice. */
async function notices(context: Context, file: string, mutants: readonly Mutant[]): Promise<void> {
  const control = await vitest.run(
    file,
    mutants.map(({ noticedBy }) => noticedBy.test),
    [],
  );
  for (const { name, what, breaks, noticedBy, patches } of mutants) {
    // The ids have no brackets, because a planted fault is no proof of the line that it breaks.
    await context.test(`${name}: ${what} (${breaks.join(" ")})`, async () => {
      const unfit = controlProblems(noticedBy, control);
      if (unfit.length > 0) return unfit;
      return noticeProblems(noticedBy, await vitest.run(file, [noticedBy.test], patches));
    });
  }
}

function fileOf({ noticedBy }: Mutant): string {
  return noticedBy.file;
}
