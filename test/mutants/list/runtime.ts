/** Faults around holders: ingest of their frames, their end, and the limit of running agents. */

import type { Mutant } from "../mutant.ts";

const runtime = "packages/server/src/runtime";

export const inRuntime: readonly Mutant[] = [
  {
    name: "bytes-not-passed",
    what: "frames that mean nothing are acknowledged by their number alone, and fill the spool",
    breaks: ["P29"],
    patches: [
      {
        file: `${runtime}/ingest.ts`,
        from: "const isLarge = this.#bytes >= quietBytes;",
        to: "const isLarge = this.#bytes < 0;",
      },
    ],
    noticedBy: {
      file: `${runtime}/ingest.test.ts`,
      test: "frames of an agent that is not ready are passed by their bytes",
    },
  },
  {
    name: "holder-left",
    what: "a holder that was let go of before it heard of the acknowledgement stays",
    breaks: ["P24"],
    patches: [
      {
        file: `${runtime}/holders.ts`,
        from: "if (!(await endHolder(this.dir(holderId)))) {",
        to: 'if (endHolder.name === "") {',
      },
    ],
    noticedBy: {
      file: `${runtime}/holders.test.ts`,
      test: "does not outlive holder.exited",
    },
  },
  {
    name: "cancel-kills-the-next-run",
    what: "an agent that answered a cancel is killed when the cancel's grace time is over",
    breaks: ["P25"],
    patches: [
      {
        file: `${runtime}/agent-connection.ts`,
        from: "if (this.#cancelling === playing || this.#ended === playing) return;",
        to: "if (this.#cancelling === playing) return;",
      },
    ],
    noticedBy: {
      file: `${runtime}/runtimes.test.ts`,
      test: "an agent that answered a cancel outlives the grace time",
    },
    long: true,
  },
  {
    name: "cancel-waits-for-ever",
    what: "a cancel waits for a holder that was stopped",
    breaks: ["P25"],
    patches: [
      {
        file: `${runtime}/cancel-watch.ts`,
        from: "if (openRun(state)?.id !== runId || state.runtime.holderId !== holderId) return;",
        to: "if (state.runtime.holderId === holderId) return;",
      },
    ],
    noticedBy: {
      file: `${runtime}/stopped-holder.test.ts`,
      test: "a cancel ends although the holder of this host was stopped",
      failure: "It did not come",
    },
    long: true,
  },
  {
    name: "any-number-of-agents",
    what: "a tenant may have any number of live agents",
    breaks: ["P34"],
    patches: [
      {
        file: `${runtime}/launch-queue.ts`,
        from: "if (own >= liveAgentsPerTenant) {",
        to: "if (own < 0) {",
      },
    ],
    noticedBy: {
      file: `${runtime}/launch-queue.test.ts`,
      test: "are limited for each tenant, and others are not kept waiting by it",
    },
  },
  {
    name: "first-come-takes-all",
    what: "the tenant that came first gets every free place",
    breaks: ["P34"],
    patches: [
      {
        file: `${runtime}/launch-queue.ts`,
        from: "this.#count(a) - this.#count(b) || a.since - b.since",
        to: "a.since - b.since",
      },
    ],
    noticedBy: {
      file: `${runtime}/launch-queue.test.ts`,
      test: "go to the tenant with the fewest, and there to the earliest request",
    },
  },
  {
    name: "freezes-anyone",
    what: "an agent that may not be frozen is frozen",
    breaks: ["R003-48"],
    patches: [
      {
        file: "packages/server/src/agents/known-agents.ts",
        from: "return this.#definitions.get(name)?.row?.freeze ?? false;",
        to: "return this.#definitions.has(name);",
      },
    ],
    noticedBy: {
      file: `${runtime}/runtimes.test.ts`,
      test: "an agent that may not be frozen is ended instead",
      failure: "It did not come",
    },
    long: true,
  },
];
