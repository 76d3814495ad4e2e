/**
 * The clear form of a credential: a prefix that people and leak scanners recognise, and 256 random
 * bits. Only its SHA-256 is stored. Salt and stretching are unnecessary, because 2²⁵⁶ values cannot
 * be tried.
 */

import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../../base/sha256.ts";

export type Random = (bytes: number) => Uint8Array;

export const prefixes = {
  host: "hfh_",
  device: "hfd_",
  key: "hfk_",
  link: "hfl_",
  ticket: "hft_",
} as const;

interface NewCredential {
  readonly secret: string;
  readonly hash: string;
}

export function newCredential(kind: keyof typeof prefixes, random: Random): NewCredential {
  const secret = `${prefixes[kind]}${Buffer.from(random(32)).toString("base64url")}`;
  return { secret, hash: sha256(secret) };
}

/** Compares every record, so that the time does not reveal how close a guess came. */
export function findBySecret<T extends { readonly hash: string }>(
  records: Iterable<T>,
  secret: string,
): T | null {
  const presented = Buffer.from(sha256(secret));
  let found: T | null = null;
  for (const record of records) {
    if (timingSafeEqual(Buffer.from(record.hash), presented)) found = record;
  }
  return found;
}
