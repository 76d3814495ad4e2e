/** Faults in the prompt of a resumed agent, and in answers that outlive the process that asked. */

import type { Mutant } from "../mutant.ts";

const server = "packages/server/src";
const session = `${server}/session`;
const runtime = `${server}/runtime`;

export const inResume: readonly Mutant[] = [
  {
    name: "vague-carried",
    what: "an answer about a call whose input the agent never sent is carried by its title",
    breaks: ["P20", "S13"],
    patches: [
      {
        file: `${session}/rules/approvals.ts`,
        from: "if (!answer.exact || !input.exact)",
        to: "if (!answer.id)",
      },
    ],
    noticedBy: {
      file: `${session}/rules/approvals.test.ts`,
      test: "counts for that question alone",
    },
  },
  {
    name: "changed-files-carried",
    what: "an answer is carried although files changed since the question",
    breaks: ["P20"],
    patches: [
      {
        file: `${session}/rules/approvals.ts`,
        from: "if (before.digest === input.workspace.digest) return { answer };",
        to: 'if (before.digest !== "") return { answer };',
      },
    ],
    noticedBy: {
      file: `${session}/rules/approvals.test.ts`,
      test: "is not used: the person is asked again",
    },
  },
  {
    name: "title-is-enough",
    what: "a question is taken for exact by its title alone",
    breaks: ["P20", "S13"],
    patches: [
      {
        file: `${server}/agents/acp/acp-question.ts`,
        from: "exact: tells(described, kind),",
        to: 'exact: typeof kind === "string",',
      },
    ],
    noticedBy: {
      file: `${server}/agents/acp/acp.test.ts`,
      test: "does not say what would run by a title alone",
    },
  },
  {
    name: "git-twice",
    what: "one Continue makes a second git round trip",
    breaks: ["R000-42"],
    patches: [
      {
        file: `${runtime}/prompt-preparation.ts`,
        from: "if (launched?.runId === id) return launched.found;",
        to: 'if (launched?.runId === "") return launched.found;',
      },
    ],
    noticedBy: {
      file: `${runtime}/resuming-cut-off.test.ts`,
      test: "comes from one look at the workspace",
    },
    long: true,
  },
  {
    name: "cut-off-untold",
    what: "a new message after an interruption does not tell what was cut off",
    breaks: ["U17"],
    patches: [
      {
        file: `${runtime}/prompts.ts`,
        from: "earlier === null ? content : afterInterruption(earlier, found, content)",
        to: "earlier === null ? content : content",
      },
    ],
    noticedBy: {
      file: `${runtime}/resuming-cut-off.test.ts`,
      test: "tells the agent which call was left open",
    },
    long: true,
  },
];
