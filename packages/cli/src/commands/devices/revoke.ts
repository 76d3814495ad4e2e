import { pick } from "../../host/sessions.ts";
import { hostCommand } from "../../host-command.ts";
import { print, say } from "../../output/print.ts";

const spec = {
  name: "devices revoke",
  takes: "DEVICE|NAME",
  does: "sign a device out, and every device and key it added",
  words: { least: 1, most: 1 },
};

export const revokeDevice = hostCommand(spec, async (client, { words, json }) => {
  const { devices } = await client.call("listDevices");
  const { id, name } = pick(devices, words[0] ?? "", "device", (device) => device.name);
  const reply = await client.call("revokeDevice", { params: { deviceId: id } });
  if (json) await print(reply);
  else say(`holdfast: signed out: ${name} (${id})`);
});
