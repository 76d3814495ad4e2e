import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { pick } from "../../host/sessions.ts";
import { print, say } from "../../output/print.ts";

export const revokeDevice = command(
  {
    name: "devices revoke",
    takes: "DEVICE|NAME",
    does: "sign a device out, and every device and key it added",
    flags: hostFlags,
    words: { least: 1, most: 1 },
  },
  async (given) => {
    const client = await connect(given);
    const { devices } = await client.call("listDevices");
    const { id, name } = pick(devices, given.words[0] ?? "", "device", (device) => device.name);
    const reply = await client.call("revokeDevice", { params: { deviceId: id } });
    if (given.json) await print(reply);
    else say(`holdfast: signed out: ${name} (${id})`);
    return exitCodes.ok;
  },
);
