import { age } from "@holdfast/protocol";
import { hint } from "../../hint.ts";
import { hostCommand } from "../../host-command.ts";
import { print, say } from "../../output/print.ts";
import { printTable } from "../../output/table.ts";

const columns = [
  { head: "DEVICE" },
  { head: "NAME", gives: true },
  { head: "SINCE" },
  { head: "SEEN" },
] as const;

const spec = { name: "devices ls", does: "list signed-in devices" };

export const listDevices = hostCommand(spec, async (client, { json }) => {
  const { devices } = await client.call("listDevices");
  if (json) return print({ devices });
  if (devices.length === 0)
    return say(`holdfast: no device is signed in. Sign one in with: ${hint("link")}`);
  const now = Date.now();
  const rows = devices.map(({ id, name, createdAt, lastSeenAt }) => {
    const seen = lastSeenAt === null ? "never" : age(lastSeenAt, now);
    return [id, name, age(createdAt, now), seen];
  });
  await printTable(columns, rows);
});
