/** For each promise a page or a host that breaks it, and the smallest run that must notice it. */

import { isCaught, whatIs } from "../../long/mutants.ts";
import type { Context, Suite } from "../../long/suite.ts";
import { withBroken } from "../builds.ts";
import type { StageOptions } from "../hosts.ts";
import { first, reachable } from "./decisions.ts";
import { altered } from "./drift.ts";
import { otherOrigin, rebound } from "./foreign.ts";
import { everywhere } from "./inert.ts";
import { lostReply } from "./outbox.ts";
import { steady } from "./phone.ts";
import { banner, revived } from "./restarts.ts";
import { states } from "./runs.ts";
import { halfOpen, lockedSilently } from "./sleep.ts";
import { notified } from "./unbroken.ts";

interface Control {
  readonly mutant: string;
  readonly by: string;
  readonly of: "page" | "host";
  readonly run: (options: StageOptions, context: Context) => Promise<readonly string[]>;
}

const bidi = ["photo\u202egnp.js"];
const link = ["[x](vbscript:msgbox(1))"];

const controls: readonly Control[] = [
  { mutant: "watchdog", by: "sleep", of: "page", run: halfOpen },
  { mutant: "wake", by: "sleep", of: "page", run: lockedSilently },
  { mutant: "resent", by: "outbox", of: "page", run: lostReply },
  { mutant: "unchecked", by: "drift", of: "page", run: altered },
  { mutant: "together", by: "restarts", of: "page", run: revived },
  { mutant: "sunken", by: "decisions", of: "page", run: reachable },
  { mutant: "unresumed", by: "restarts", of: "page", run: banner },
  { mutant: "aged", by: "decisions", of: "host", run: first },
  { mutant: "thrown", by: "unbroken", of: "page", run: notified },
  { mutant: "stuck", by: "runs", of: "page", run: states },
  { mutant: "unpaused", by: "runs", of: "page", run: states },
  { mutant: "flickering", by: "phone", of: "page", run: steady },
  { mutant: "origin", by: "foreign", of: "host", run: otherOrigin },
  { mutant: "name", by: "foreign", of: "host", run: rebound },
  {
    mutant: "unseen",
    by: "inert",
    of: "page",
    run: (options, context) => everywhere(context, bidi, options),
  },
  {
    mutant: "leading",
    by: "inert",
    of: "page",
    run: (options, context) => everywhere(context, link, options),
  },
];

export const mutants: Suite = {
  name: "mutants",
  async run(context) {
    if (context.short) return;
    for (const { mutant, by, of, run } of controls) {
      const caught = (options: StageOptions) =>
        isCaught(context, mutant, () => run(options, context));
      // A page that fails to build does not count as caught.
      await context.test(`mutant ${whatIs(mutant)} is caught by ${by}`, () =>
        of === "host" ? caught({ mutant }) : withBroken(mutant, (app) => caught({ app })),
      );
    }
  },
};
