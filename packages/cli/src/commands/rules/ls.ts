import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { hint } from "../../hint.ts";
import { connect } from "../../host/connect.ts";
import { findSession, shortId } from "../../host/sessions.ts";
import { print, printLine, say, widthOfStdout } from "../../output/print.ts";
import { table } from "../../output/table.ts";
import { quiet } from "../../output/words.ts";
import { oneSession } from "../session/revive-and-follow.ts";

const spec = {
  name: "rules ls",
  ...oneSession,
  does: "list what the agent may do without asking",
  flags: hostFlags,
} as const;

const columns = [
  { head: "RULE" },
  { head: "TOOL" },
  { head: "FOR" },
  { head: "EXACTLY", gives: true },
] as const;

export const listRules = command(spec, async ({ words, json, ...host }) => {
  const client = await connect(host);
  const sessionId = await findSession(client, words[0] ?? "");
  const { rules } = await client.call("listRules", { params: { sessionId } });
  if (json) {
    await print({ rules });
    return exitCodes.ok;
  }
  if (rules.length === 0)
    say("holdfast: this session has no rules; the agent decides what to ask for");
  else {
    const rows = rules.map(({ id, toolName, scope, pattern }) =>
      [shortId(id), toolName, `this ${scope}`, pattern].map((text) => ({ text })),
    );
    for (const line of table(columns, rows, widthOfStdout())) await printLine(line);
    say(quiet(`· to remove a rule: ${hint("rules revoke", sessionId, "RULE")}`));
  }
  return exitCodes.ok;
});
