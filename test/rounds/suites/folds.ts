/** [P14]: a session's state, transcript and status are a function of its journal. */

import { splitFolds } from "../../../packages/server/src/session/rules/testing/split-folds.ts";
import type { Suite } from "../../long/suite.ts";

export const folds: Suite = {
  name: "folds",
  async run(context) {
    const journals = context.short ? 1000 : 10_000;
    const title = `${journals} random journals fold to the same from zero and in pieces, split anywhere [P14]`;
    await context.test(title, async () => {
      splitFolds(journals, context.seed);
      return [];
    });
  },
};
