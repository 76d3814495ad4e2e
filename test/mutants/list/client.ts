/** Faults in the library that pages and the CLI use. */

import type { Mutant } from "../mutant.ts";

export const inTheClient: readonly Mutant[] = [
  {
    name: "opening-continues",
    what: "opening a session continues its work by itself",
    breaks: ["R004-6", "R000-40"],
    patches: [
      {
        file: "packages/client/src/session/resume-attempt.ts",
        from: 'return { state: "resumed", resume };',
        to: 'const retried = { params: { runId: "run_1" }, body: {} };\n    await client.call("retryRun", retried as never);\n    return { state: "resumed", resume };',
      },
    ],
    noticedBy: {
      file: "packages/client/src/session/resume-attempt.test.ts",
      test: "asks how it stands, then for a resume",
    },
  },
  {
    name: "asks-per-mount",
    what: "every mount of a page asks for a resume",
    breaks: ["R004-7"],
    patches: [
      {
        file: "packages/client/src/session/resume-attempt.ts",
        from: "if (this.#hasAttempted) return;",
        to: "",
      },
    ],
    noticedBy: {
      file: "packages/client/src/session/resume-attempt.test.ts",
      test: "however often it is started",
    },
  },
  {
    name: "resent-as-new",
    what: "what is sent again is sent under a new key",
    breaks: ["P5", "F26"],
    patches: [
      {
        file: "packages/client/src/outbox/deliver.ts",
        from: "const once = { idempotencyKey: id, signal };",
        to: "const once = { signal };",
      },
    ],
    noticedBy: {
      file: "packages/client/src/outbox/outbox.test.ts",
      test: "is kept first, then sent with its key",
    },
  },
];
