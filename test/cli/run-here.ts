import { vi } from "vitest";
import { commands } from "../../packages/cli/src/commands.ts";
import { fail } from "../../packages/cli/src/exit.ts";
import type { Ended } from "./terminal.ts";

/**
 * Runs a command in this process, one at a time, and collects its output. A process of its own costs
 * 0.1 s of processor time; use one where signals, input, a terminal or the start itself matter.
 */
export async function runHere(args: readonly string[]): Promise<Ended> {
  const two = args.slice(0, 2).join(" ");
  const name = commands.has(two) ? two : (args[0] ?? "");
  const command = await commands.get(name)?.();
  if (command === undefined) throw new Error(`There is no command "${name}".`);
  const said = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((chunk, ...rest) => {
      said[stream] += Buffer.from(chunk as string).toString();
      for (const written of rest) if (typeof written === "function") written();
      return true;
    }),
  );
  try {
    const rest = args.slice(name.split(" ").length);
    const code = await command.run(rest).catch((error) => fail(error, args.includes("--json")));
    return { code, ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
