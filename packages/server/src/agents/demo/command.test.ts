import { expect, test } from "vitest";
import { runCommand } from "./command.ts";

test("a command in a folder that was removed says that the folder does not exist", async () => {
  const running = {
    cwd: "/nowhere/at/all",
    signal: new AbortController().signal,
    onOutput: async () => {},
  };
  await expect(runCommand(process.execPath, [], running)).rejects.toThrow(
    "The folder /nowhere/at/all does not exist any more.",
  );
});
