import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { pick } from "../../host/sessions.ts";
import { print, say } from "../../output/print.ts";

export const revokeKey = command(
  {
    name: "keys revoke",
    takes: "KEY|NAME",
    does: "revoke an API key, and every device and key it added",
    flags: hostFlags,
    words: { least: 1, most: 1 },
  },
  async (given) => {
    const client = await connect(given);
    const { keys } = await client.call("listKeys");
    const { id, name } = pick(keys, given.words[0] ?? "", "key", (key) => key.name);
    const reply = await client.call("revokeKey", { params: { keyId: id } });
    if (given.json) await print(reply);
    else say(`holdfast: revoked: ${name} (${id})`);
    return exitCodes.ok;
  },
);
