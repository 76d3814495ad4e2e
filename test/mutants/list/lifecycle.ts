/** Faults in the lifecycle of sessions: recovery, retention, revival, status. */

import type { Mutant } from "../mutant.ts";

export const inLifecycle: readonly Mutant[] = [
  {
    name: "unknown-as-done",
    what: "a call that was cut off is called completed",
    breaks: ["RX-3", "RX-4", "F7"],
    patches: [
      {
        file: "packages/server/src/session/rules/ending.ts",
        from: 'return { status: "unknown", output };',
        to: 'return { status: "completed", output };',
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/output.test.ts",
      test: "left open when nobody was asked is closed as unknown",
    },
  },
  {
    name: "calls-left-open",
    what: "calls of a run that is over are left without a result",
    breaks: ["RX-4"],
    patches: [
      {
        file: "packages/server/src/session/rules/ending.ts",
        from: "return [...closingWaits(run, why), ...closingTools(run)];",
        to: "return closingWaits(run, why);",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/output.test.ts",
      test: "left open when nobody was asked is closed as unknown",
    },
  },
  {
    name: "runtime-of-another-life",
    what: "an agent of an earlier host counts as live",
    breaks: ["R001-36", "R002-29", "P14"],
    patches: [
      {
        file: "packages/protocol/src/status.ts",
        from: 'return word !== "none" && word !== "unreachable" && epoch < moment.epoch ? "none" : word;',
        to: "return word;",
      },
    ],
    noticedBy: {
      file: "packages/protocol/src/status.test.ts",
      test: "derives every status as the tables do",
    },
  },
  {
    name: "interrupted-as-idle",
    what: "an interrupted session looks idle",
    breaks: ["R002-25", "R002-26", "U1"],
    patches: [
      {
        file: "packages/protocol/src/status.ts",
        from: '  if (run.outcome === "interrupted" && !run.dismissed) {',
        to: '  if (run.outcome === "interrupted" && run.dismissed) {',
      },
    ],
    noticedBy: {
      file: "packages/protocol/src/status.test.ts",
      test: "is interrupted_startup while a proved death is neither continued nor dismissed",
    },
  },
  {
    name: "living-deleted",
    what: "a session that never ended is deleted after thirty days",
    breaks: ["F40"],
    patches: [
      {
        file: "packages/server/src/session/rules/history.ts",
        from: "return state.ended === null ? null : Date.parse(state.ended.at) + policy.endedKept;",
        to: "return Date.parse(state.updatedAt) + policy.endedKept;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/history.test.ts",
      test: "deletes only ended sessions, after 30 days",
    },
  },
  {
    name: "files-stay",
    what: "files and long outputs of a deleted session stay on disk",
    breaks: ["R001-39"],
    patches: [
      {
        file: "packages/server/src/host.ts",
        from: "      await blobs.remove(session);\n      await workspaces.remove(session);",
        to: "",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/sweep.test.ts",
      test: "the files of an ended session are deleted with it",
    },
  },
  {
    name: "wrong-clock-deletes",
    what: "a clock years ahead deletes what was kept",
    breaks: ["P18", "F40"],
    patches: [
      {
        file: "packages/server/src/session/rules/history.ts",
        from: "return now >= time && now - Date.parse(state.updatedAt) <= at.policy.plausibleGap;",
        to: "return now >= time;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/history.test.ts",
      test: "(removal) does not act on a wrong clock",
    },
  },
  {
    name: "errors-folded-early",
    what: "detail of failed runs is folded after seven days",
    breaks: ["R003-51"],
    patches: [
      {
        file: "packages/server/src/session/rules/history.ts",
        from: "failedAt === null ? 0 : Date.parse(failedAt) + policy.errorDetailKept,",
        to: "failedAt === null ? 0 : Date.parse(failedAt) + policy.runDetailKept,",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/history.test.ts",
      test: "keeps a failed run's detail for 30 days",
    },
  },
  {
    name: "revived-twice",
    what: "a session that is being revived is revived again",
    breaks: ["P23", "R004-20"],
    patches: [
      {
        file: "packages/server/src/session/rules/lifecycle.ts",
        from: '  if (runtime === "starting") return new HostError("reviving", "The agent is already starting.");',
        to: "",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/lifecycle.test.ts",
      test: "is durable before anything starts, and one at a time",
      failure: "was not refused",
    },
  },
  {
    name: "revived-unreachable",
    what: "an agent is started beside one that may still live",
    breaks: ["P23", "P24"],
    patches: [
      {
        file: "packages/server/src/session/rules/lifecycle.ts",
        from: 'if (runtime === "unreachable") {',
        to: 'if (runtime === ("never" as string)) {',
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/runs.test.ts",
      test: "refuses every load and launch in its session",
      failure: "was not refused",
    },
  },
  {
    name: "served-before-judged",
    what: "a host is open before recovery has judged every run",
    breaks: ["R002-33"],
    patches: [
      {
        file: "packages/server/src/host.ts",
        from: "const recovery = await recoverSessions(recovering, onError).catch",
        to: "const early = { continued: [], adopted: [] } as unknown as RecoveryReport;\n  const recovery = await Promise.race([recoverSessions(recovering, onError), early]).catch",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/recovery.test.ts",
      test: "a host opens only after every open run was judged",
    },
  },
  {
    name: "unknown-as-dead",
    what: "a holder that does not answer counts as dead",
    breaks: ["P15", "P24"],
    patches: [
      {
        file: "packages/server/src/session/recovery.ts",
        from: '  if (verdict === "unknown") {',
        to: '  if (verdict === ("never" as string)) {',
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/recovery.test.ts",
      test: "a holder that cannot be proved dead leaves the run open",
    },
  },
  {
    name: "living-interrupted",
    what: "a restart interrupts runs whose holder lives",
    breaks: ["P12", "P15"],
    patches: [
      {
        file: "packages/server/src/session/recovery.ts",
        from: 'if (holderId !== null && verdict === "alive") {',
        to: 'if (holderId === "" && verdict === "alive") {',
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/recovery.test.ts",
      test: "a living holder is adopted: the run was never interrupted",
    },
  },
  {
    name: "unwatched-while-waiting",
    what: "a run that waits for a person is frozen because nobody looks",
    breaks: ["R003-48"],
    patches: [
      {
        file: "packages/server/src/session/rules/runs.ts",
        from: "const stands = run.paused !== null || run.unreachable || run.waits.length > 0;",
        to: "const stands = run.paused !== null || run.unreachable;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/runs.test.ts",
      test: "is over its limit only when the limit is on",
    },
  },
  {
    name: "nobody-follows",
    what: "followers are not counted",
    breaks: ["R003-33", "R003-49"],
    patches: [
      {
        file: "packages/server/src/session/follow.ts",
        from: "return this.#crowds.get(session)?.size ?? 0;",
        to: 'return session === ("" as string) ? 1 : 0;',
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/follow.test.ts",
      test: "followers are counted while they follow",
    },
  },
  {
    name: "tokens-not-added",
    what: "the tokens of a run are not counted",
    breaks: ["R003-24"],
    patches: [
      {
        file: "packages/protocol/src/fold/attempts.ts",
        from: "inputTokens: run.inputTokens + event.inputTokens,",
        to: "inputTokens: run.inputTokens,",
      },
    ],
    noticedBy: {
      file: "packages/protocol/src/fold.test.ts",
      test: "adds up the tokens that a run reports",
    },
  },
  {
    name: "coder-state-always",
    what: "work of an agent below that is over is told as its state",
    breaks: ["R000-47"],
    patches: [
      {
        file: "packages/server/src/runtime/resume/delegation.ts",
        from: 'delegates && (status === "unknown" || status === "running"),',
        to: "delegates === true && status !== undefined,",
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/resume/delegation.test.ts",
      test: "only a delegation that is still open is told",
    },
  },
  {
    name: "text-late",
    what: "text is grouped for fifty seconds",
    breaks: ["R003-35", "R003-37"],
    patches: [
      {
        file: "packages/server/src/base/policy.ts",
        from: "deltaGroup: { value: 50,",
        to: "deltaGroup: { value: 50_000,",
      },
    ],
    noticedBy: {
      file: "packages/server/src/base/policy.test.ts",
      test: "has the values people were promised",
    },
  },
  {
    name: "retries-for-ever",
    what: "a transient error is retried twenty times",
    breaks: ["R003-45"],
    patches: [
      {
        file: "packages/server/src/base/policy.ts",
        from: "  transientRetries: {\n    value: 2,",
        to: "  transientRetries: {\n    value: 20,",
      },
    ],
    noticedBy: {
      file: "packages/server/src/base/policy.test.ts",
      test: "has the values people were promised",
    },
  },
  {
    name: "unseen-limit-on",
    what: "runs that nobody follows are frozen by default",
    breaks: ["R003-48"],
    patches: [
      {
        file: "packages/server/src/base/policy.ts",
        from: "  unwatchedLimit: {\n    value: off,",
        to: "  unwatchedLimit: {\n    value: 30 * MINUTE,",
      },
    ],
    noticedBy: {
      file: "packages/server/src/base/policy.test.ts",
      test: "has the values people were promised",
    },
  },
  {
    name: "unseen-without-host",
    what: "time in which no host ran counts as time in which nobody looked",
    breaks: ["R003-48"],
    patches: [
      {
        file: "packages/server/src/session/watch.ts",
        from: "    this.#since = clock.steady();\n",
        to: "    this.#since = 0;\n",
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/runtimes.test.ts",
      test: "time without a host does not count",
    },
    long: true,
  },
  {
    name: "kept-back",
    what: "what an agent says is written only when something else must be",
    breaks: ["R003-34", "R003-35", "R003-37"],
    patches: [
      {
        file: "packages/server/src/runtime/ingest.ts",
        from: "if (this.#group.isEmpty || this.#cancelTimer !== null) return;",
        to: "if (this.#cancelTimer === null) return;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/runtimes.test.ts",
      test: "are journalled while the agent works, also when no later output follows",
      failure: "It did not come",
    },
    long: true,
  },
  {
    name: "crash-without-word",
    what: "a crash is no error in the words of document 003",
    breaks: ["R003-15", "R003-17"],
    patches: [
      {
        file: "packages/protocol/src/seed-words.ts",
        from: 'interrupted: { generationStatus: "error", generation: "error"',
        to: 'interrupted: { generationStatus: "idle", generation: "cancelled"',
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/runtimes.test.ts",
      test: "a crash keeps all output",
    },
    long: true,
  },
  {
    name: "crash-without-reason",
    what: "the message of a run that crashed does not say why it ended",
    breaks: ["R003-15"],
    patches: [
      {
        file: "packages/protocol/src/transcript/transcript.ts",
        from: 'end(draft, event, "interrupted", ',
        to: 'end(draft, event, "interrupted", undefined && ',
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/runtimes.test.ts",
      test: "a crash keeps all output",
    },
    long: true,
  },
  {
    name: "usage-unheard",
    what: "the tokens that an agent tells are not taken",
    breaks: ["R003-24"],
    patches: [
      {
        file: "packages/server/src/agents/acp/acp.ts",
        from: '  const usage = objectAt(result, "usage");',
        to: '  const usage = objectAt(result, "nothing");',
      },
    ],
    noticedBy: {
      file: "packages/server/src/runtime/settling.test.ts",
      test: "what a run cost is what its agent told",
    },
    long: true,
  },
];
