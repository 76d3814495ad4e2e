import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { findSession, pick } from "../../host/sessions.ts";
import { print, say } from "../../output/print.ts";

const spec = {
  name: "rules revoke",
  takes: "SESSION RULE",
  does: "remove a rule; the agent asks again from now on",
  flags: hostFlags,
  words: { least: 2, most: 2 },
} as const;

export const revokeRule = command(spec, async ({ words, json, ...host }) => {
  const [session = "", word = ""] = words;
  const client = await connect(host);
  const sessionId = await findSession(client, session);
  const { rules } = await client.call("listRules", { params: { sessionId } });
  const rule = pick(rules, word, "rule", ({ toolName, pattern }) => `${toolName} ${pattern}`);
  const reply = await client.call("revokeRule", { params: { sessionId, ruleId: rule.id } });
  if (json) await print(reply);
  else say(`holdfast: removed; the agent asks again for: ${rule.toolName} ${rule.pattern}`);
  return exitCodes.ok;
});
