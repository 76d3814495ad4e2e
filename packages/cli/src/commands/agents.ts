import { command } from "../command.ts";
import { connect } from "../connect.ts";
import { exitCodes } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { print, printLine, widthOfStdout } from "../print.ts";
import { table } from "../table.ts";

const spec = {
  name: "agents",
  does: "list agents, and what they lack",
  flags: hostFlags,
} as const;

const columns = [{ head: "AGENT" }, { head: "VERSION" }, { head: "STATE", gives: true }] as const;

export const agents = command(spec, async (given) => {
  const client = await connect(given);
  const { agents } = await client.call("listAgents");
  if (given.json) {
    await print({ agents });
    return exitCodes.ok;
  }
  const rows = agents.map(({ name, version, installed, missing }) => {
    const state = installed
      ? { text: "✓ ready", tone: "alive" as const }
      : { text: `– ${missing ?? "not found"}`, tone: "quiet" as const };
    return [{ text: name }, { text: version ?? "" }, state];
  });
  for (const line of table(columns, rows, widthOfStdout())) await printLine(line);
  return exitCodes.ok;
});
