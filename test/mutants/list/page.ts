/** Faults in showing and storing large and foreign content. */

import type { Mutant } from "../mutant.ts";

export const onThePage: readonly Mutant[] = [
  {
    name: "unbounded-markdown",
    what: "emphasis that is opened and never closed is parsed, however much of it there is",
    breaks: ["S15"],
    patches: [
      {
        file: "packages/web/src/markdown/bounded-lexer.ts",
        from: "source.length > MOST_LETTERS || count > MOST_SIGNS || work > MOST_WORK",
        to: "work < 0",
      },
    ],
    noticedBy: {
      file: "packages/web/src/markdown/blocks.test.ts",
      test: "no number of paragraphs costs more than a few of the worst",
    },
  },
  {
    name: "large-input-unbound",
    what: "an answer to a large input fits another large input",
    breaks: ["P20"],
    patches: [
      {
        file: "packages/server/src/session/rules/approvals.ts",
        from: "const bound = whole === undefined ? {} : { whole };",
        to: "const bound = {};",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/approvals.test.ts",
      test: "whose input is too large for an event is bound to all of it",
    },
  },
  {
    name: "large-input-rule",
    what: "a standing rule is granted for an input that is too large to be shown",
    breaks: ["P20"],
    patches: [
      {
        file: "packages/server/src/session/rules/standing.ts",
        from: "approval.inputBlob !== undefined && input.pattern !== ANY_INPUT",
        to: "approval.inputBlob === null",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/rules/approvals.test.ts",
      test: "whose input is too large for an event is bound to all of it",
    },
  },
  {
    name: "any-image",
    what: "a picture is taken for what it calls itself",
    breaks: ["P41"],
    patches: [
      {
        file: "packages/server/src/session/picture.ts",
        from: 'if (found === null) return "it is not a PNG, JPEG, GIF or WebP";',
        to: 'if (found === null) return { mime: "image/svg+xml", width: 1, height: 1, bytes };',
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/picture.test.ts",
      test: "is never what",
    },
  },
  {
    name: "huge-image",
    what: "a picture of any number of pixels is shown",
    breaks: ["S15"],
    patches: [
      {
        file: "packages/server/src/session/picture.ts",
        from: "width * height > MOST_PIXELS",
        to: "width * height < 0",
      },
    ],
    noticedBy: {
      file: "packages/server/src/session/picture.test.ts",
      test: "that would fill a browser's memory is not shown",
    },
  },
];
