import { readConfig } from "@holdfast/server";
import { expect, test } from "vitest";
import { dataDirectory, surroundings } from "./config.ts";

test.each([
  [undefined, { HOME: "/home/you" }],
  [undefined, { HOME: "" }],
  [undefined, { HOME: "relative" }],
  [undefined, {}],
  [undefined, { HOME: "/home/you", HOLDFAST_DATA: "some/where" }],
  ["/flag", { HOME: "/home/you", HOLDFAST_DATA: "/env" }],
  ["../flag", { HOME: "/home/you" }],
] as [string | undefined, NodeJS.ProcessEnv][])(
  "%s with %o is where the host itself looks",
  (data, env) => {
    expect(dataDirectory(data, env)).toBe(readConfig({ data }, env).data);
  },
);

test("an empty directory is refused, as the host does", () => {
  expect(() => dataDirectory("", {})).toThrow("--data needs a directory.");
  expect(() => readConfig({ data: "" }, {})).toThrow("--data needs a directory.");
});

test("colours are off on request, and on terminals without colours", () => {
  const plain = [{}, { NO_COLOR: "" }, { NO_COLOR: "1" }, { TERM: "dumb" }, { TERM: "xterm" }];
  expect(plain.map((env) => surroundings(env).plain)).toEqual([false, false, true, true, false]);
});
