import { expect, test } from "vitest";
import { allCommands, commands } from "./commands.ts";

test("every command is found under its own name", async () => {
  expect((await allCommands()).map(({ name }) => name)).toEqual([...commands.keys()]);
});
