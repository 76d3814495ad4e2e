/** Faults in the library that pages and the CLI use. */

import type { Mutant } from "../mutant.ts";

export const inTheClient: readonly Mutant[] = [
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
      test: "once for any number of starts",
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
      test: "is stored first, then sent with its key",
    },
  },
];
