/** The host's own credential: a file only its owner can read, created once and atomically. */

import { join } from "node:path";
import { HostError } from "@holdfast/protocol";
import { readPrivate, replacePrivate } from "../../base/private-file.ts";
import { newCredential, type Random } from "./secrets.ts";

/** The first version wrote tokens without a prefix. */
const TOKEN = /^(hfh_)?[A-Za-z0-9_-]{43}$/;

export function hostToken(dir: string, random: Random): string {
  const path = join(dir, "token");
  const known = readPrivate(path)?.trim();
  if (known === undefined) {
    const { secret } = newCredential("host", random);
    replacePrivate(path, `${secret}\n`);
    return secret;
  }
  if (TOKEN.test(known)) return known;
  // An empty or partial token would be easy to guess.
  throw new HostError(
    "data_damaged",
    `${path} does not contain a complete token. Delete it; the host makes a new one when it starts.`,
  );
}
