/** For each suite a host that is broken on purpose, and the smallest run that must notice it. */

import { isCaught, whatIs } from "../../long/mutants.ts";
import type { Context, Suite } from "../../long/suite.ts";
import { inWorld, withMoreAgents } from "../worlds.ts";
import { cancelRound } from "./cancels.ts";
import { floodRound } from "./floods.ts";
import { orphanRound } from "./orphans.ts";
import { manyStops } from "./stops.ts";
import { swapRound } from "./swaps.ts";

interface Control {
  readonly mutant: string;
  readonly by: string;
  readonly run: (context: Context) => Promise<readonly string[]>;
}

const controls: readonly Control[] = [
  {
    mutant: "remains",
    by: "orphans",
    run: () =>
      inWorld({ mutant: "remains", env: { HOLDFAST_NO_PIDNS: "1" } }, (world) =>
        orphanRound(world, "host and holder"),
      ),
  },
  {
    mutant: "patience",
    by: "cancels",
    run: () =>
      inWorld({ ...withMoreAgents, mutant: "patience" }, async (world) => {
        const { problems } = await cancelRound(world, { ear: "deaf", moment: "tool", into: 0 });
        return problems;
      }),
  },
  {
    mutant: "unbounded",
    by: "floods",
    run: (context) => {
      const flood = {
        what: "no line ever ends",
        prompt: "endless",
        end: "cut",
        characters: 0,
      } as const;
      return floodRound(context, flood, { mutant: "unbounded" });
    },
  },
  {
    mutant: "absorbed",
    by: "floods",
    run: (context) => {
      const flood = {
        what: "4 updates of 1 MB",
        prompt: "updates 4",
        end: "whole",
        characters: 0,
      } as const;
      return floodRound(context, flood, { mutant: "absorbed" });
    },
  },
  {
    mutant: "markers",
    by: "stops",
    run: (context) => manyStops(context, 2, { mutant: "markers" }),
  },
  {
    mutant: "lookedTwice",
    by: "swaps",
    run: (context) => {
      const kind = "the workspace is a link, now to a folder, now to the data directory";
      return swapRound(context, kind, 1000, { mutant: "lookedTwice" });
    },
  },
  {
    mutant: "opensByName",
    by: "swaps",
    run: (context) => {
      const kind = "a folder of the workspace is swapped for a link to another folder";
      return swapRound(context, kind, 1000, { mutant: "opensByName" });
    },
  },
];

export const mutants: Suite = {
  name: "mutants",
  async run(context) {
    for (const { mutant, by, run } of controls) {
      const title = `mutant ${whatIs(mutant)} is caught by ${by}`;
      await context.test(title, () => isCaught(context, mutant, () => run(context)));
    }
  },
};
