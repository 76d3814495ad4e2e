import { age } from "@holdfast/protocol";
import { hostCommand } from "../../host-command.ts";
import { print } from "../../output/print.ts";
import { printTable } from "../../output/table.ts";

const columns = [
  { head: "KEY" },
  { head: "NAME", gives: true },
  { head: "TENANT" },
  { head: "SCOPES" },
  { head: "AGE" },
  { head: "ENDS" },
] as const;

const spec = { name: "keys ls", does: "list API keys, without their secrets" };

export const listKeys = hostCommand(spec, async (client, { json }) => {
  const { keys } = await client.call("listKeys");
  if (json) return print({ keys });
  const rows = keys.map(({ id, name, tenant, scopes, createdAt, expiresAt }) => {
    const made = age(createdAt, Date.now());
    return [id, name, tenant, scopes.join(","), made, expiresAt ?? "never"];
  });
  await printTable(columns, rows);
});
