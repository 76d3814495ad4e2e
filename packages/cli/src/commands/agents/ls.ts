import type { AgentView } from "@holdfast/protocol";
import { hint } from "../../hint.ts";
import { hostCommand } from "../../host-command.ts";
import { print, say } from "../../output/print.ts";
import { printTable } from "../../output/table.ts";

const spec = { name: "agents", does: "list agents and how to install missing ones" };

const columns = [{ head: "AGENT" }, { head: "VERSION" }, { head: "STATE", gives: true }] as const;

export const listAgents = hostCommand(spec, async (client, { json }) => {
  const { agents } = await client.call("listAgents");
  if (json) return print({ agents });
  // Installed agents come first.
  const rows = [...agents].sort((a, b) => Number(b.installed) - Number(a.installed)).map(row);
  await printTable(columns, rows);
  say("holdfast: agents are not isolated: they can read and change everything you can");
  say(`holdfast: to test an agent: ${hint("agents check NAME")}`);
});

function row({ name, version, installed, missing, tested }: AgentView) {
  const isOther = version !== null && tested !== undefined && tested !== version;
  const state = installed
    ? { text: isOther ? `✓ ready, tested with ${tested}` : "✓ ready", tone: "alive" as const }
    : { text: `– ${missing ?? "not found"}`, tone: "quiet" as const };
  return [name, version ?? "", state];
}
