import type { AgentView } from "@holdfast/protocol";
import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { hint } from "../../hint.ts";
import { connect } from "../../host/connect.ts";
import { print, printLine, say, widthOfStdout } from "../../output/print.ts";
import { table } from "../../output/table.ts";

const spec = {
  name: "agents",
  does: "list agents and how to install missing ones",
  flags: hostFlags,
} as const;

const columns = [{ head: "AGENT" }, { head: "VERSION" }, { head: "STATE", gives: true }] as const;

export const listAgents = command(spec, async (given) => {
  const client = await connect(given);
  const { agents } = await client.call("listAgents");
  if (given.json) {
    await print({ agents });
    return exitCodes.ok;
  }
  // Installed agents come first.
  const rows = [...agents].sort((a, b) => Number(b.installed) - Number(a.installed)).map(row);
  for (const line of table(columns, rows, widthOfStdout())) await printLine(line);
  say("holdfast: agents are not isolated: they can read and change everything you can");
  say(`holdfast: to test an agent: ${hint("agents check NAME")}`);
  return exitCodes.ok;
});

function row({ name, version, installed, missing, tested }: AgentView) {
  const isOther = version !== null && tested !== undefined && tested !== version;
  const state = installed
    ? { text: isOther ? `✓ ready, tested with ${tested}` : "✓ ready", tone: "alive" as const }
    : { text: `– ${missing ?? "not found"}`, tone: "quiet" as const };
  return [{ text: name }, { text: version ?? "" }, state];
}
