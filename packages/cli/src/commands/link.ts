import { count } from "@holdfast/protocol";
import { hint } from "../hint.ts";
import { findSession } from "../host/sessions.ts";
import { hostCommand } from "../host-command.ts";
import { print, printText, say } from "../output/print.ts";

const spec = {
  name: "link",
  takes: "[SESSION]",
  does: "make a one-time link that signs in a browser, and opens SESSION",
  words: { least: 0, most: 1 },
};

const THIS_MACHINE = [
  "only a browser on this machine can open this link. For a phone, use a tunnel or proxy with TLS,",
  "such as Tailscale (see README, From the phone). Or, without encryption in a network you trust,",
  "stop the host and start it with the address that the phone will use:",
].join(" ");

export const link = hostCommand(spec, async (client, { words, json }) => {
  const [word] = words;
  const session = word === undefined ? null : await findSession(client, word);
  const reply = await client.call("createLink", { body: session === null ? {} : { session } });
  if (json) return print(reply);
  await printText(reply.url);
  const minutes = Math.ceil((Date.parse(reply.expiresAt) - Date.now()) / 60_000);
  const opens = session === null ? "" : `; it signs the browser in and opens ${session}`;
  say(
    `holdfast: open the link in a browser within ${count(minutes, "minute")}; it works once${opens}`,
  );
  for (const url of reply.otherUrls) say(`holdfast: or use this address: ${url}`);
  if (reply.reach === "this-machine") {
    say(`holdfast: ${THIS_MACHINE} ${hint("serve --host 0.0.0.0 --allow-remote ADDRESS")}`);
  }
});
