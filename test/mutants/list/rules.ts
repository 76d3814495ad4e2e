/** Faults in the rules that decide what happens to runs, waits, tokens, approvals and messages. */

import type { Mutant } from "../mutant.ts";

const rules = "packages/server/src/session/rules";

export const inRules: readonly Mutant[] = [
  {
    name: "second-outcome",
    what: "a run that is over can get another outcome",
    breaks: ["P13"],
    patches: [
      {
        file: `${rules}/rule.ts`,
        from: "  if (run.outcome !== null) {",
        to: '  if (run.outcome === ("never" as string)) {',
      },
    ],
    noticedBy: {
      file: `${rules}/runs.test.ts`,
      test: "comes once: whatever is said of the run later is refused",
      failure: "was not refused",
    },
  },
  {
    name: "cancel-forgotten",
    what: "a cancel that was durable before a crash becomes an interruption",
    breaks: ["P13", "P25"],
    patches: [
      {
        file: `${rules}/runs.ts`,
        from: "if (run.cancel !== null) return cancelled(state, run, at);",
        to: "",
      },
    ],
    noticedBy: { file: `${rules}/runs.test.ts`, test: "also when the agent dies meanwhile" },
  },
  {
    name: "completion-beats-cancel",
    what: "an agent that completes overrules a cancel",
    breaks: ["R003-8"],
    patches: [
      {
        file: `${rules}/runs.ts`,
        from: "  if (run.cancel !== null) {\n    return andThen(state, used",
        to: "  if (run.cancel?.by === '') {\n    return andThen(state, used",
      },
    ],
    noticedBy: { file: `${rules}/runs.test.ts`, test: "also when the agent completes meanwhile" },
  },
  {
    name: "wait-dies",
    what: "a question dies with the process that asked it",
    breaks: ["P19", "R003-11"],
    patches: [
      {
        file: `${rules}/runs.ts`,
        from: "if (run.waits.length > 0) return run.unreachable ? standing(state, run, input.reason, at) : [];",
        to: "",
      },
    ],
    noticedBy: { file: `${rules}/runs.test.ts`, test: "spares a run with an open wait" },
  },
  {
    name: "late-attempt",
    what: "an older launch of a run may still write",
    breaks: ["P6", "F18"],
    patches: [
      {
        file: `${rules}/rule.ts`,
        from: "if (run.attempt.n === input.attempt) return run;",
        to: "return run;",
      },
    ],
    noticedBy: {
      file: `${rules}/attempts.test.ts`,
      test: "that was replaced is late",
      failure: "was not refused",
    },
  },
  {
    name: "secret-in-clear",
    what: "the secret of a resume token is stored in clear",
    breaks: ["P40", "R002-38", "S14"],
    patches: [
      {
        file: "packages/server/src/session/secrets.ts",
        from: "return { secret, hash: sha256(secret) };",
        to: 'return { secret, hash: Buffer.from(secret, "base64url").toString("hex") };',
      },
      {
        file: "packages/server/src/session/secrets.ts",
        from: "return { id, runId, hash: sha256(secret) };",
        to: 'return { id, runId, hash: Buffer.from(secret, "base64url").toString("hex") };',
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/secrets.test.ts",
      test: "is on disk as its SHA-256, with the wait that it is for",
    },
  },
  {
    name: "any-secret",
    what: "a token is accepted with a wrong secret",
    breaks: ["P17", "R002-39"],
    patches: [
      {
        file: `${rules}/tokens.ts`,
        from: "return a.length === b.length && timingSafeEqual(a, b);",
        to: "return a.length === b.length;",
      },
    ],
    noticedBy: {
      file: `${rules}/tokens.test.ts`,
      test: "(right id, wrong secret) is refused as token_invalid",
      failure: "was not refused",
    },
  },
  {
    name: "expired-token",
    what: "an expired token opens its wait",
    breaks: ["P17", "P18", "R002-59"],
    patches: [
      {
        file: `${rules}/tokens.ts`,
        from: 'return isExpired(wait.token, at) ? spentAs("expired") : wait;',
        to: "return wait;",
      },
    ],
    noticedBy: {
      file: `${rules}/tokens.test.ts`,
      test: "is expired by time that passed, not by a clock",
      failure: "was not refused",
    },
  },
  {
    name: "token-of-another-run",
    what: "a token of another run is not told apart",
    breaks: ["P17", "R002-56"],
    patches: [
      {
        file: `${rules}/tokens.ts`,
        from: "if (presented.runId !== asked.runId || presented.runId !== run.id) {",
        to: 'if (presented.runId === "") {',
      },
    ],
    noticedBy: {
      file: `${rules}/tokens.test.ts`,
      test: "(of an older run) is refused as token_mismatch",
    },
  },
  {
    name: "token-twice",
    what: "a used token answers everyone who shows it",
    breaks: ["P16", "R002-53"],
    patches: [
      {
        file: `${rules}/tokens.ts`,
        from: 'return key !== undefined && known?.status === "consumed" && known.key === key;',
        to: 'return known?.status === "consumed";',
      },
    ],
    noticedBy: {
      file: `${rules}/tokens.test.ts`,
      test: "(used up, under another key) is refused",
      failure: "was not refused",
    },
  },
  {
    name: "digest-of-name",
    what: "an approval is bound to the tool's name alone",
    breaks: ["P20", "S13"],
    patches: [
      {
        file: `${rules}/approvals.ts`,
        from: "canonicalJson({ input, tool: toolName, ...bound })",
        to: "canonicalJson({ tool: toolName, ...bound })",
      },
    ],
    noticedBy: {
      file: `${rules}/approvals.test.ts`,
      test: "has a digest of tool and canonical input",
    },
  },
  {
    name: "second-answer",
    what: "a second answer is journalled beside the first",
    breaks: ["P19", "F9"],
    patches: [
      {
        file: `${rules}/approvals.ts`,
        from: "  if (approval.decision !== null) {\n    return input.token",
        to: "  if (approval.id === '') {\n    return input.token",
      },
    ],
    noticedBy: { file: `${rules}/approvals.test.ts`, test: "counts once: the first wins" },
  },
  {
    name: "early-deadline",
    what: "a deadline that passed while no host ran fires at once",
    breaks: ["P18"],
    patches: [
      {
        file: `${rules}/waits.ts`,
        from: "if (wait.epoch !== at.epoch && at.steady < at.graceUntil) return false;",
        to: "",
      },
    ],
    noticedBy: {
      file: `${rules}/waits.test.ts`,
      test: "that passed while no host ran fires a minute after the next one is ready",
    },
  },
  {
    name: "message-twice",
    what: "a message that is sent again starts another run",
    breaks: ["P5"],
    patches: [
      {
        file: `${rules}/messages.ts`,
        from: "if (state.clients.some((known) => known.clientId === input.clientId)) return [];",
        to: "",
      },
    ],
    noticedBy: { file: `${rules}/messages.test.ts`, test: "sent again with the same client id" },
  },
  {
    name: "queue-after-cancel",
    what: "a cancel lets the queued messages go on",
    breaks: ["F25"],
    patches: [
      {
        file: `${rules}/runs.ts`,
        from: "next.queue[0]?.urgent === true ? advance(next, at) : [],",
        to: "advance(next, at),",
      },
    ],
    noticedBy: {
      file: `${rules}/messages.test.ts`,
      test: "stays parked and shown after `cancelled`",
    },
  },
  {
    name: "waiting-as-running",
    what: "a session that waits for someone is shown as running",
    breaks: ["R002-23", "R003-38"],
    patches: [
      {
        file: "packages/protocol/src/status.ts",
        from: 'return run.waits.length > 0 ? "waiting" : "running";',
        to: 'return "running";',
      },
    ],
    noticedBy: {
      file: "packages/protocol/src/status.test.ts",
      test: "is waiting while the open run has a wait",
    },
  },
  {
    name: "slow-start",
    what: "an agent has a hundred minutes to get ready, a caller waits two and a half hours",
    breaks: ["R004-14", "R004-27"],
    patches: [
      {
        file: "packages/server/src/base/policy.ts",
        from: "  agentReady: {\n    value: 60 * SECOND,",
        to: "  agentReady: {\n    value: 6000 * SECOND,",
      },
      {
        file: "packages/server/src/base/policy.ts",
        from: "  reviveLimit: {\n    value: 90 * SECOND,",
        to: "  reviveLimit: {\n    value: 9000 * SECOND,",
      },
    ],
    noticedBy: {
      file: "packages/server/src/base/policy.test.ts",
      test: "has the values people were promised",
    },
  },
];
