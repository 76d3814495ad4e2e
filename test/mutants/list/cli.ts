import type { Mutant } from "../mutant.ts";

export const inCli: readonly Mutant[] = [
  {
    name: "cli-hides-a-field",
    what: "a drawn question leaves out the fields that its drawing does not show",
    breaks: ["S13"],
    patches: [
      {
        file: "packages/cli/src/lines/question-lines.ts",
        from: "...(rest.length === 0 ? [] : exactLines(Object.fromEntries(rest)))",
        to: "...(rest.length === 0 ? [] : [])",
      },
    ],
    noticedBy: {
      file: "packages/cli/src/lines/question-lines.test.ts",
      test: "no value of an input is left out",
      failure: "Property failed",
    },
  },
  {
    name: "cli-no-gutter",
    what: "a line of an agent's that the terminal wraps begins like one of ours",
    breaks: ["P41"],
    patches: [
      {
        file: "packages/cli/src/output/gutter.ts",
        from: "      if (this.#at !== null && this.#at + width > room) {",
        to: "      if (this.#at !== null && this.#at + width > 10 * room) {",
      },
    ],
    noticedBy: {
      file: "packages/cli/src/output/gutter.test.ts",
      test: "no line of an agent looks like one of ours",
      failure: "Property failed",
    },
  },
];
