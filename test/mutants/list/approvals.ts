/** Faults in approvals and denials. */

import type { Mutant } from "../mutant.ts";

export const inApprovals: readonly Mutant[] = [
  {
    name: "deny-as-allow",
    what: "a denial is delivered as an approval",
    breaks: ["P20", "R003-44", "S13"],
    patches: [
      {
        file: "packages/server/src/agents/acp/acp.ts",
        from: 'return decision === "deny" ? ["reject_once", "reject_always"] : ["allow_once", "allow_always"];',
        to: 'return decision === ("never" as string) ? [] : ["allow_once", "allow_always"];',
      },
    ],
    noticedBy: {
      file: "packages/server/src/agents/acp/acp.test.ts",
      test: "a denial is never one that allows",
    },
  },
  {
    name: "answer-used-up",
    what: "a vague question uses up an answer that was given for something else",
    breaks: ["P20"],
    patches: [
      {
        file: "packages/protocol/src/fold/approvals.ts",
        from: "earlier === undefined || earlier.digest !== digest",
        to: "earlier === undefined",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/approvals.test.ts",
      test: "leaves an answer that was given for something else",
    },
  },
  {
    name: "answer-used-again",
    what: "an answer that was carried once is used again",
    breaks: ["P20", "F5"],
    patches: [
      {
        file: "packages/server/src/session/rules/approvals.ts",
        from: "      !asked.delivered &&\n      asked.attempt < run.attempt.n &&",
        to: "      asked.attempt < run.attempt.n &&",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/approvals.test.ts",
      test: "is used for the same digest asked again, once",
    },
  },
  {
    name: "rule-for-any-input",
    what: "a standing rule for one input allows every input",
    breaks: ["S13", "P20"],
    patches: [
      {
        file: "packages/server/src/session/rules/standing.ts",
        from: "(standing.pattern === ANY_INPUT || standing.pattern === canonical),",
        to: '(standing.pattern === ANY_INPUT || canonical !== ""),',
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/standing.test.ts",
      test: "does not match another tool, nor input that is only similar",
    },
  },
  {
    name: "rule-of-another-run",
    what: "a rule for one run counts in the next",
    breaks: ["S13"],
    patches: [
      {
        file: "packages/server/src/session/rules/standing.ts",
        from: '(standing.scope === "session" || standing.runId === run.id) &&',
        to: "",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/standing.test.ts",
      test: "given for one run does not count in another",
    },
  },
  {
    name: "decision-twice",
    what: "the store does not hold an answer as true once",
    breaks: ["P19"],
    patches: [
      {
        file: "packages/server/src/session/facts.ts",
        from: 'return { name: "approval", key: event.approvalId };',
        to: "return null;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/facts.test.ts",
      test: "the store holds approval ap_1",
    },
  },
  {
    name: "token-fact-lost",
    what: "the store does not hold the use of a token as true once",
    breaks: ["P16", "R002-40"],
    patches: [
      {
        file: "packages/server/src/session/facts.ts",
        from: 'return { name: "token", key: event.tokenId };',
        to: "return null;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/facts.test.ts",
      test: "the store holds token rt_1",
    },
  },
];
