/** Reads and writes the credentials file: one line of JSON and one with its checksum. */

import { HostError, scopes } from "@holdfast/protocol";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { readPrivate, replacePrivate } from "../../base/private-file.ts";
import { sha256 } from "../../base/sha256.ts";
import { type Lifetime, lastingUntil } from "./lifetime.ts";

/** Long enough to walk over to the phone that opens the link. */
export const LINK_LIFE = 5 * 60_000;

const time = z.iso.datetime();
const grant = {
  tenant: z.string().min(1),
  scopes: z.array(z.enum(scopes)),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
};
const named = {
  id: z.string(),
  name: z.string(),
  createdAt: time,
  expiresAt: time.nullable(),
  /** The credential that made this one; absent in files of earlier versions. */
  by: z.string().optional(),
};
const stored = z.strictObject({
  version: z.literal(1),
  devices: z.array(z.strictObject({ ...named, ...grant, lastSeenAt: time.nullable() })),
  keys: z.array(z.strictObject({ ...named, ...grant })),
  links: z.array(
    z.strictObject({ ...grant, by: z.string(), session: z.string().nullable(), expiresAt: time }),
  ),
});

type Stored = z.infer<typeof stored>;
type Lasting<T> = Readonly<Omit<T, "expiresAt">> & { readonly lifetime: Lifetime | null };

export type Key = Lasting<Stored["keys"][number]>;
type DeviceLink = Lasting<Stored["links"][number]> & { readonly lifetime: Lifetime };
export type Device = Omit<Lasting<Stored["devices"][number]>, "lastSeenAt"> & {
  /** Changes with every request; written together with the next other change. */
  lastSeenAt: string | null;
};

export interface Credentials {
  readonly devices: readonly Device[];
  readonly keys: readonly Key[];
  readonly links: readonly DeviceLink[];
}

const nobody: Credentials = { devices: [], keys: [], links: [] };

/** A missing file means no credentials; a damaged one stops the host. */
export function readCredentials(path: string, clock: Clock): Credentials {
  const text = readPrivate(path);
  if (text === null) return nobody;
  const { devices, keys, links } = checked(path, text);
  const lasting = <T extends { expiresAt: string | null }>({ expiresAt, ...rest }: T) => ({
    ...rest,
    lifetime: expiresAt === null ? null : lastingUntil(clock, Date.parse(expiresAt)),
  });
  // A clock that was set back before a restart must not extend a link beyond its full lifetime.
  const longest = clock.now() + LINK_LIFE;
  return {
    devices: devices.map(lasting),
    keys: keys.map(lasting),
    links: links.map(({ expiresAt, ...link }) => ({
      ...link,
      lifetime: lastingUntil(clock, Math.min(Date.parse(expiresAt), longest)),
    })),
  };
}

export function writeCredentials(path: string, { devices, keys, links }: Credentials): void {
  const written = {
    version: 1,
    devices: devices.map(expiring),
    keys: keys.map(expiring),
    links: links.map(expiring),
  };
  const line = JSON.stringify(written);
  replacePrivate(path, `${line}\n${sha256(line)}\n`);
}

function expiring<T extends { readonly lifetime: Lifetime | null }>({ lifetime, ...rest }: T) {
  return { ...rest, expiresAt: isoOf(lifetime) };
}

export function isoOf(lifetime: Lifetime | null): string | null {
  return lifetime === null ? null : new Date(lifetime.expiresAt).toISOString();
}

/** Verifies the checksum first: a flipped bit in a tenant's name would still parse as a name. */
function checked(path: string, text: string): Stored {
  const [line = "", sum, ...rest] = text.split("\n");
  if (sum !== sha256(line) || rest.join("") !== "") throw damaged(path);
  const json = parsed(line);
  const { data: newer } = z.object({ version: z.number().min(2) }).safeParse(json);
  if (newer !== undefined) {
    throw new HostError(
      "data_too_new",
      `${path} was written by a newer Holdfast. Install that version, or name another directory with --data.`,
    );
  }
  const read = stored.safeParse(json);
  if (!read.success) throw damaged(path);
  return read.data;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function damaged(path: string): HostError {
  return new HostError(
    "data_damaged",
    `${path} is damaged, so the host cannot check who may sign in. Restore it from a backup, or delete it: sessions are kept, but every device must sign in again and every API key must be made again.`,
  );
}
