/** Parses `--policy idlePause=60000,sessionTtl=off`, a session's own settings. */

import type { Json } from "@holdfast/protocol";
import { usage } from "../exit.ts";

/** Null without the flag. The host validates the names. */
export function policyOf(text: string | undefined): Record<string, Json> | null {
  if (text === undefined) return null;
  const pairs = text.split(",").map((part): [string, Json] => {
    const [, name, value] = /^\s*([A-Za-z]+)\s*=\s*(.+?)\s*$/.exec(part) ?? [];
    if (name !== undefined && value !== undefined) return [name, policyValue(value)];
    throw usage(`--policy takes NAME=VALUE, separated by commas, not "${part}".`);
  });
  return Object.fromEntries(pairs);
}

function policyValue(text: string): Json {
  if (text === "off" || text === "null") return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
