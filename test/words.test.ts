import { expect, test } from "vitest";
import { commentsOf, vagueComments } from "../scripts/words/comments.mjs";
import { exportsOf, sharedNames } from "../scripts/words/names.mjs";

test("the first line of each comment is read, and consecutive line comments are one", () => {
  const source = [
    "/** Limits git. */",
    "const url = 'http://a'; // Names the page.",
    "",
    "// Where it began,",
    "// and how.",
    "/**",
    " * Whoever asks.",
    " */",
    "const text = `// How`;",
  ].join("\n");
  expect(commentsOf("a.ts", source)).toEqual([
    { line: 1, text: "Limits git." },
    { line: 2, text: "Names the page." },
    { line: 4, text: "Where it began," },
    { line: 6, text: "Whoever asks." },
  ]);
});

test("sources are refused when more than two of a hundred comments begin with a vague word", () => {
  const plain = Array.from(
    { length: 98 },
    (_, n) => `/** Names part ${n}. */\nexport const p${n} = 1;`,
  );
  const vague = (count: number) =>
    Array.from({ length: count }, (_, n) => `/** What is kept. */\nexport const v${n} = 1;`);
  const judged = (count: number) =>
    vagueComments([{ path: "a.ts", text: [...plain, ...vague(count)].join("\n") }]);
  expect(judged(2)).toMatchObject({ comments: 100, isRefused: false });
  const { isRefused, vague: found } = judged(3);
  expect(isRefused).toBe(true);
  expect(found[0]).toMatchObject({ path: "a.ts", text: "What is kept." });
});

test("the names that a file declares and exports are read, without those of other files", () => {
  const source = [
    "import { read } from './read.ts';",
    "export const one = 1, { two } = all;",
    "export class Door {}",
    "export interface Port {}",
    "export type { Link } from './link.ts';",
    "export { one as first, read };",
    "const text = `",
    "export class Planted {}`;",
  ].join("\n");
  expect(exportsOf("a.ts", source)).toEqual(["one", "two", "Door", "Port", "first"]);
});

test("a name that two files of one package export for different things is refused", () => {
  const door = "export class Door {}";
  const planted = [
    { path: "packages/server/src/http/door.ts", text: door },
    { path: "packages/server/src/holder/door.ts", text: door },
    { path: "packages/server/src/index.ts", text: 'export { Door } from "./http/door.ts";' },
    { path: "packages/server/src/http/door.test.ts", text: door },
    { path: "packages/server/src/http/testing/door.ts", text: door },
    { path: "packages/web/src/door.tsx", text: door },
  ];
  const { shared } = sharedNames(planted);
  expect(shared).toEqual([
    {
      name: "server Door",
      paths: ["packages/server/src/http/door.ts", "packages/server/src/holder/door.ts"],
    },
  ]);
});
