import { exitCodes } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { sessionCommand } from "../host-command.ts";
import { live, tellConnection } from "../live/live.ts";
import { print, say, unread } from "../output/print.ts";
import { quiet } from "../output/words.ts";
import { seqOf } from "./attach.ts";

const flags = {
  after: { value: "N", does: "only events after number N" },
  follow: { short: "f", does: "keep printing new events" },
  ...hostFlags,
  json: { does: "no effect: events are always printed as JSON lines" },
} as const;

const spec = {
  name: "logs",
  does: "print a session's events, one JSON line each",
  flags,
} as const;

export const logs = sessionCommand(spec, async (client, session, given) => {
  const after = seqOf(given.after) ?? 0;
  if (given.follow) return live({ client, session, json: true, from: { after } });
  const { session: now } = await client.call("getSession", { params: { sessionId: session } });
  if (after === now.lastSeq) return exitCodes.ok;
  const signal = unread;
  const onState = tellConnection(say);
  for await (const one of client.follow({ session, after, signal, onState })) {
    if (one.type === "reset")
      say(quiet(`· events up to ${one.seq} were removed to save space; their messages are kept`));
    if (one.type === "event") await print(one.event);
    if ((one.type === "event" || one.type === "reset") && one.seq >= now.lastSeq) break;
  }
  return exitCodes.ok;
});
