import { age } from "@holdfast/protocol";
import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { hint } from "../../hint.ts";
import { connect } from "../../host/connect.ts";
import { print, printLine, say, widthOfStdout } from "../../output/print.ts";
import { table } from "../../output/table.ts";

const columns = [
  { head: "DEVICE" },
  { head: "NAME", gives: true },
  { head: "SINCE" },
  { head: "SEEN" },
] as const;

export const listDevices = command(
  { name: "devices ls", does: "list signed-in devices", flags: hostFlags },
  async (given) => {
    const client = await connect(given);
    const { devices } = await client.call("listDevices");
    if (given.json) {
      await print({ devices });
      return exitCodes.ok;
    }
    const now = Date.now();
    const rows = devices.map(({ id, name, createdAt, lastSeenAt }) => {
      const seen = lastSeenAt === null ? "never" : age(lastSeenAt, now);
      return [id, name, age(createdAt, now), seen].map((text) => ({ text }));
    });
    if (rows.length === 0)
      say(`holdfast: no device is signed in. Sign one in with: ${hint("link")}`);
    else for (const line of table(columns, rows, widthOfStdout())) await printLine(line);
    return exitCodes.ok;
  },
);
