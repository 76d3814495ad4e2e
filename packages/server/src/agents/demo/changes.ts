/** The next change, by the files alone: one that was interrupted is finished, not made twice. */

import { PROGRAM, TESTS } from "./seed.ts";

export interface Edit {
  readonly path: string;
  /** The file's content before the change; null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

export interface Change {
  readonly title: string;
  readonly edits: readonly Edit[];
}

type Read = (path: string) => string | null;

interface ProgramChange {
  readonly title: string;
  readonly program: (source: string) => string;
  readonly test: { readonly name: string; readonly body: string };
}

const programChanges: readonly ProgramChange[] = [
  {
    title: "Count what is still to do, not what is done",
    program: (source) => source.replace("(item) => item.done)", "(item) => !item.done)"),
    test: {
      name: "counts what is still to do",
      body: `  const list = new TodoList();
  const { id } = list.add("Buy milk");
  list.add("Bake bread");
  list.finish(id);
  list.add("Sleep");
  assert.equal(list.remaining(), 2);
`,
    },
  },
  {
    title: "Let an item be renamed",
    program: withMethod(`  rename(id, title) {
    const item = this.#items.find((one) => one.id === id);
    if (item === undefined) throw new Error(\`There is no item \${id}.\`);
    item.title = title;
    return item;
  }
`),
    test: {
      name: "renames an item",
      body: `  const list = new TodoList();
  const { id } = list.add("Buy milk");
  assert.equal(list.rename(id, "Buy oat milk").title, "Buy oat milk");
`,
    },
  },
  {
    title: "List the titles of what is still to do",
    program: withMethod(`  titles() {
    return this.#items.filter((item) => !item.done).map((item) => item.title);
  }
`),
    test: {
      name: "lists the titles of what is still to do",
      body: `  const list = new TodoList();
  const { id } = list.add("Buy milk");
  list.add("Bake bread");
  list.finish(id);
  assert.deepEqual(list.titles(), ["Bake bread"]);
`,
    },
  },
];

export function nextChange(read: Read): Change {
  const [program, tests] = [read(PROGRAM), read(TESTS)];
  if (program !== null && tests !== null) {
    for (const change of programChanges) {
      const edits = [
        { path: PROGRAM, before: program, after: change.program(program) },
        { path: TESTS, before: tests, after: withTest(tests, change.test) },
      ].filter((edit) => edit.after !== edit.before);
      if (edits.length > 0) return { title: change.title, edits };
    }
  }
  return nextNote(read);
}

/** A note and a test that counts the notes, for workspaces without a change left. */
function nextNote(read: Read): Change {
  const [path, testPath] = ["demo-notes.md", "demo-notes.test.mjs"];
  const notes = read(path);
  const number = (notes?.match(/^- Note /gm)?.length ?? 0) + 1;
  const test = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

test("there are as many notes as were made", () => {
  const notes = readFileSync(new URL("${path}", import.meta.url), "utf8");
  assert.equal(notes.match(/^- Note /gm).length, ${number});
});
`;
  return {
    title: `Make note ${number}`,
    edits: [
      {
        path,
        before: notes,
        after: `${notes ?? "# Notes of the demo agent\n\n"}- Note ${number}\n`,
      },
      { path: testPath, before: read(testPath), after: test },
    ],
  };
}

function withMethod(method: string): (source: string) => string {
  return (source) =>
    source.includes(method) ? source : source.replace(/\}\n$/, () => `\n${method}}\n`);
}

function withTest(tests: string, { name, body }: ProgramChange["test"]): string {
  const opening = `test("${name}", () => {\n`;
  return tests.includes(opening) ? tests : `${tests}\n${opening}${body}});\n`;
}
