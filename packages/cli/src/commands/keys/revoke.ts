import { pick } from "../../host/sessions.ts";
import { hostCommand } from "../../host-command.ts";
import { print, say } from "../../output/print.ts";

const spec = {
  name: "keys revoke",
  takes: "KEY|NAME",
  does: "revoke an API key, and every device and key it added",
  words: { least: 1, most: 1 },
};

export const revokeKey = hostCommand(spec, async (client, { words, json }) => {
  const { keys } = await client.call("listKeys");
  const { id, name } = pick(keys, words[0] ?? "", "key", (key) => key.name);
  const reply = await client.call("revokeKey", { params: { keyId: id } });
  if (json) await print(reply);
  else say(`holdfast: revoked: ${name} (${id})`);
});
