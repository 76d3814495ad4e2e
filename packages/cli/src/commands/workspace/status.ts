import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { findSession } from "../../host/sessions.ts";
import { print, printLine, say } from "../../output/print.ts";
import { oneSession } from "../session/revive-and-follow.ts";

const spec = {
  name: "workspace status",
  ...oneSession,
  does: "show the branch and changed files",
  flags: hostFlags,
} as const;

export const status = command(spec, async ({ words, json, ...host }) => {
  const client = await connect(host);
  const sessionId = await findSession(client, words[0] ?? "");
  const reply = await client.call("getWorkspaceStatus", { params: { sessionId } });
  if (json) await print(reply);
  else if (!reply.repository) say("holdfast: the workspace is not a git repository");
  else {
    const head = reply.head === null ? "no commit yet" : reply.head.slice(0, 12);
    await printLine(`${reply.branch ?? "no branch"}, ${head}`);
    for (const file of reply.dirty) await printLine(`  ${file}`);
    if (reply.dirty.length === 0) await printLine("  nothing changed");
  }
  return exitCodes.ok;
});
