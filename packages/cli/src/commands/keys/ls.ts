import { age } from "@holdfast/protocol";
import { command } from "../../command.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { connect } from "../../host/connect.ts";
import { print, printLine, widthOfStdout } from "../../output/print.ts";
import { table } from "../../output/table.ts";

const columns = [
  { head: "KEY" },
  { head: "NAME", gives: true },
  { head: "TENANT" },
  { head: "SCOPES" },
  { head: "AGE" },
  { head: "ENDS" },
] as const;

export const listKeys = command(
  { name: "keys ls", does: "list API keys, without their secrets", flags: hostFlags },
  async (given) => {
    const client = await connect(given);
    const { keys } = await client.call("listKeys");
    if (given.json) {
      await print({ keys });
      return exitCodes.ok;
    }
    const rows = keys.map(({ id, name, tenant, scopes, createdAt, expiresAt }) =>
      [id, name, tenant, scopes.join(","), age(createdAt, Date.now()), expiresAt ?? "never"].map(
        (text) => ({ text }),
      ),
    );
    for (const line of table(columns, rows, widthOfStdout())) await printLine(line);
    return exitCodes.ok;
  },
);
