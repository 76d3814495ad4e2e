/** The demo's example program, with a bug that its test misses. */

export const PROGRAM = "todo.js";
export const TESTS = "todo.test.js";

export const seedFiles: Readonly<Record<string, string>> = {
  "README.md": `# Todo

A list of things to do, in one file.

    node --test
`,
  "package.json": `{
  "name": "todo",
  "private": true,
  "type": "module"
}
`,
  [PROGRAM]: `export class TodoList {
  #items = [];

  add(title) {
    const item = { id: this.#items.length + 1, title, done: false };
    this.#items.push(item);
    return item;
  }

  finish(id) {
    const item = this.#items.find((one) => one.id === id);
    if (item === undefined) throw new Error(\`There is no item \${id}.\`);
    item.done = true;
    return item;
  }

  /** The number of things still to do. */
  remaining() {
    return this.#items.filter((item) => item.done).length;
  }
}
`,
  [TESTS]: `import assert from "node:assert/strict";
import { test } from "node:test";
import { TodoList } from "./todo.js";

test("adds an item that is not done", () => {
  const list = new TodoList();
  assert.equal(list.add("Buy milk").done, false);
});
`,
};
