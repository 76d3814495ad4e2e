/** Faults that tests with real processes, files and stores notice. */

import type { Mutant } from "../mutant.ts";

export const onWholeSystems: readonly Mutant[] = [
  {
    name: "deny-reaches-agent",
    what: "an agent is told yes where its user said no",
    breaks: ["P20", "R003-29", "R003-44"],
    patches: [
      {
        file: "packages/server/src/agents/acp/acp.ts",
        from: 'return decision === "deny" ? ["reject_once", "reject_always"] : ["allow_once", "allow_always"];',
        to: 'return decision === ("never" as string) ? [] : ["allow_once", "allow_always"];',
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/runtimes.test.ts",
      test: "a denied call gets the refusal as its result",
    },
    long: true,
  },
  {
    name: "workspaces-deleted",
    what: "the files of every workspace are deleted at each start",
    breaks: ["R001-1", "U4"],
    patches: [
      {
        file: "packages/server/src/workspace/workspaces.ts",
        from: "    this.#onError = options.onError;",
        to: '    this.#onError = options.onError;\n    const { rmSync } = process.getBuiltinModule("node:fs");\n    rmSync(join(options.data, "workspaces"), { recursive: true, force: true });',
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/days-later.test.ts",
      test: "days later, after host, holder and agent died",
    },
    long: true,
  },
  {
    name: "lost-folder-silent",
    what: "a folder that is gone is made anew without a word",
    breaks: ["U4"],
    patches: [
      {
        file: "packages/server/src/workspace/workspaces.ts",
        from: "return loss !== null && (await this.#options.hasWorked(state)) ? loss : null;",
        to: "return loss !== null && !(await this.#options.hasWorked(state)) ? loss : null;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/lost-workspace.test.ts",
      test: "is made anew, and named in the receipt and with the next prompt",
    },
    long: true,
  },
  {
    name: "round-always-one",
    what: "every interruption is told as one of the first round",
    breaks: ["R000-45"],
    patches: [
      {
        file: "packages/server/src/runtime/resume/cut-off.ts",
        from: "round: calls.length + 1,",
        to: "round: 1 + 0 * calls.length,",
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/resuming-message.test.ts",
      test: "names the round, the state of the workspace",
    },
    long: true,
  },
  {
    name: "no-partial-block",
    what: "the block of the partial response is left out where it is empty",
    breaks: ["R000-77"],
    patches: [
      {
        file: "packages/server/src/runtime/resume/reconcile.ts",
        from: '...["---", ...(partial.trim() === "" ? [] : [partial]), "---"],',
        to: '...(partial.trim() === "" ? [] : ["---", partial, "---"]),',
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/resuming-message.test.ts",
      test: "has the block for the partial response also without any output",
    },
    long: true,
  },
  {
    name: "seq-not-compared",
    what: "two writers get the same seq",
    breaks: ["P4", "P6", "R002-46"],
    patches: [
      {
        file: "packages/server/src/journal/sqlite/write/batch-rules.ts",
        from: "if (state.nextSeq !== expectedSeq) return",
        to: "if (expectedSeq < -1e9) return",
      },
    ],
    noticedBy: {
      file: "packages/server/src/journal/sqlite/open.test.ts",
      test: "writers that fight for the same seq",
    },
    long: true,
  },
  {
    name: "damage-not-named",
    what: "a damaged page is read as if it were whole",
    breaks: ["P9", "F41"],
    patches: [
      {
        file: "packages/server/src/journal/sqlite/file/pages.ts",
        from: "return pageCrc({ session, firstSeq, count, chain }, bytes) === crc;",
        to: "return crc >= 0;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/journal/sqlite/damage.test.ts",
      test: "any zeroed database page is harmless or named",
    },
    long: true,
  },
  {
    name: "slow-reader-grows",
    what: "the host keeps in memory what a reader does not take",
    breaks: ["P27", "F29"],
    patches: [
      {
        file: "packages/server/src/streams/socket/outbox.ts",
        from: "return this.#socket.bufferedAmount > this.#queueBytes;",
        to: "return this.#socket.bufferedAmount > 1e9 * this.#queueBytes;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/streams/socket-turns.test.ts",
      test: "a flood in one session delays no other on the same socket",
    },
    long: true,
  },
  {
    name: "cursor-in-the-future",
    what: "a stream from a seq that does not exist waits for it in silence",
    breaks: ["P26"],
    patches: [
      {
        file: "packages/server/src/streams/sse/sse-stream.ts",
        from: "if (after > head.seq) throw",
        to: "if (after > 1e9) throw",
      },
    ],
    noticedBy: {
      file: "packages/server/src/streams/sse/sse-stream.test.ts",
      test: "a cursor beyond the head and an unknown session are errors",
      failure: "Unexpected token",
    },
  },
  {
    name: "said-without-end",
    what: "an agent may say any amount in one run",
    breaks: ["P29", "P34"],
    patches: [
      {
        file: "packages/server/src/session/rules/output.ts",
        from: "if (run.said > most) {",
        to: "if (run.said < 0) {",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/output.test.ts",
      test: "is cut where no person could read it any more",
      failure: "was not refused",
    },
  },
  {
    name: "old-journals-differ",
    what: "journals of earlier versions derive another status",
    breaks: ["P11", "R002-1"],
    patches: [
      {
        file: "packages/protocol/src/status.ts",
        from: 'return run.interruption === "wait_timeout"',
        to: 'return run.interruption !== "wait_timeout"',
      },
    ],
    noticedBy: {
      file: "test/corpus/corpus.test.ts",
      test: "v1/interrupted-process-exit derives what it always did",
    },
  },
];
