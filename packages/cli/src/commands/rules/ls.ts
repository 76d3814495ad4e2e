import { hint } from "../../hint.ts";
import { shortId } from "../../host/sessions.ts";
import { sessionCommand } from "../../host-command.ts";
import { print, say } from "../../output/print.ts";
import { printTable } from "../../output/table.ts";
import { quiet } from "../../output/words.ts";

const spec = { name: "rules ls", does: "list what the agent may do without asking" };

const columns = [
  { head: "RULE" },
  { head: "TOOL" },
  { head: "FOR" },
  { head: "EXACTLY", gives: true },
] as const;

export const listRules = sessionCommand(spec, async (client, sessionId, { json }) => {
  const { rules } = await client.call("listRules", { params: { sessionId } });
  if (json) return print({ rules });
  if (rules.length === 0)
    return say("holdfast: this session has no rules; the agent decides what to ask for");
  const rows = rules.map(({ id, toolName, scope, pattern }) => [
    shortId(id),
    toolName,
    `this ${scope}`,
    pattern,
  ]);
  await printTable(columns, rows);
  say(quiet(`· to remove a rule: ${hint("rules revoke", sessionId, "RULE")}`));
});
