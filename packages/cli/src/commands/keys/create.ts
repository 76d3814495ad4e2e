import { type Scope, scopes } from "@holdfast/protocol";
import { usage } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { hostCommand } from "../../host-command.ts";
import { print, printText, say } from "../../output/print.ts";

export const createKey = hostCommand(
  {
    name: "keys create",
    takes: "NAME",
    does: "create an API key; its secret is shown once",
    flags: {
      scopes: {
        value: "LIST",
        does: `what the key may do: ${scopes.join(",")} (default read,write)`,
      },
      expires: {
        value: "TIME",
        does: "when it expires, such as 2027-01-31T00:00:00Z (default: never)",
      },
      ...hostFlags,
      tenant: { value: "NAME", does: "tenant whose sessions the key may see (default: yours)" },
    },
    words: { least: 1, most: 1 },
  },
  async (client, given) => {
    const { tenant, expires } = given;
    const body = {
      name: given.words[0] ?? "",
      scopes: scopesOf(given.scopes ?? "read,write"),
      ...(tenant === undefined ? {} : { tenant }),
      ...(expires === undefined ? {} : { expiresAt: timeOf(expires) }),
    };
    const reply = await client.call("createKey", { body });
    if (given.json) await print(reply);
    else {
      say(`holdfast: key ${reply.key.id}. Save its secret now: it is shown only once.`);
      await printText(reply.secret);
    }
  },
);

function timeOf(given: string): string {
  const time = /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw usage(`--expires takes a time such as 2027-01-31T00:00:00Z, not "${given}".`);
}

function scopesOf(list: string): Scope[] {
  return list.split(",").map((word) => {
    const scope = scopes.find((one) => one === word.trim());
    if (scope !== undefined) return scope;
    throw usage(`There is no scope "${word}". There are: ${scopes.join(", ")}.`);
  });
}
