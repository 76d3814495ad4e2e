import { pick } from "../../host/sessions.ts";
import { sessionCommand } from "../../host-command.ts";
import { print, say } from "../../output/print.ts";

const spec = {
  name: "rules revoke",
  takes: "SESSION RULE",
  does: "remove a rule; the agent asks again from now on",
  words: { least: 2, most: 2 },
};

export const revokeRule = sessionCommand(spec, async (client, sessionId, { words, json }) => {
  const { rules } = await client.call("listRules", { params: { sessionId } });
  const call = (rule: (typeof rules)[number]) => `${rule.toolName} ${rule.pattern}`;
  const rule = pick(rules, words[1] ?? "", "rule", call);
  const reply = await client.call("revokeRule", { params: { sessionId, ruleId: rule.id } });
  if (json) await print(reply);
  else say(`holdfast: removed; the agent asks again for: ${call(rule)}`);
});
