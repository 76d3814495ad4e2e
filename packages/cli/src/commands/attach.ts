import { usage } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { sessionCommand } from "../host-command.ts";
import { live, TAIL } from "../live/live.ts";

const flags = {
  after: { value: "N", does: "begin after event N instead of the end of the transcript" },
  ...hostFlags,
  json: { does: "print one JSON event per line on stdout, from the first event" },
} as const;

const spec = {
  name: "attach",
  does: "follow a session live, answer its questions, send messages",
  flags,
} as const;

export const attach = sessionCommand(spec, async (client, session, given) => {
  const { json } = given;
  const after = seqOf(given.after ?? (json ? "0" : undefined));
  return live({ client, session, json, from: after === null ? { tail: TAIL } : { after } });
});

export function seqOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usage(`--after takes the number of an event, not "${text}".`);
}
