/**
 * The credentials of one host: its own token, devices that were paired by a link, and API keys.
 * Every change is durable before it is answered, in one small file; secrets are stored only as
 * hashes. Open it only while holding the data directory's lock.
 */

import { join } from "node:path";
import { type DeviceView, HostError, type KeyView, type Scope, scopes } from "@holdfast/protocol";
import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/sha256.ts";
import { Buckets } from "../limits/buckets.ts";
import { type Caller, HOST_TENANT } from "./caller.ts";
import {
  type Credentials,
  type Device,
  type Key,
  LINK_LIFE,
  readCredentials,
  writeCredentials,
} from "./credentials.ts";
import { Expiry } from "./expiry.ts";
import {
  callerOf,
  descentOf,
  deviceView,
  keyView,
  refuseGrant,
  refuseMore,
  refuseRevoke,
  within,
} from "./grants.ts";
import { hostToken } from "./host-token.ts";
import { hasExpired, type Lifetime, lastingUntil, shorter } from "./lifetime.ts";
import { findBySecret, newCredential, prefixes, type Random } from "./secrets.ts";
import { Tickets } from "./tickets.ts";

interface AccessOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Gets errors outside any request, such as a failed write of a device's last-seen time. */
  readonly onError?: (error: unknown) => void;
}

interface NewKey {
  readonly name: string;
  readonly tenant?: string | undefined;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

/** Delay of last-seen writes. People read that time, so a minute's delay is exact enough. */
const SEEN_DELAY = 60_000;
/** Limit of wrong link codes, for all callers together: enough for mistyped and outdated links. */
const WRONG_CODES = { burst: 20, perSecond: 0.5 };

const owner: Caller = {
  id: "host",
  kind: "host",
  name: "host",
  tenant: HOST_TENANT,
  scopes: new Set(scopes),
};

export class Access {
  readonly hostToken: string;
  readonly owner = owner;
  readonly #own: { readonly hash: string };
  readonly #path: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onError: (error: unknown) => void;
  readonly #tickets: Tickets;
  readonly #wrongCodes: Buckets;
  readonly #expiry: Expiry;
  readonly #listeners = new Set<(credentialId: string) => void>();
  #credentials: Credentials;
  #stopSaving: (() => void) | null = null;
  #closed = false;

  constructor({ dir, clock, random, onError = report }: AccessOptions) {
    this.#path = join(dir, "credentials");
    this.#clock = clock;
    this.#random = random;
    this.#onError = onError;
    this.#tickets = new Tickets(clock, random);
    this.#wrongCodes = new Buckets(WRONG_CODES, clock);
    this.#credentials = readCredentials(this.#path, clock);
    this.hostToken = hostToken(dir, random);
    this.#own = { hash: sha256(this.hostToken) };
    this.#expiry = new Expiry(clock, (id) => this.#tell(id));
    this.#watchExpiry();
  }

  /** Stops all writing, because the next host process may own the file already. */
  close(): void {
    this.#closed = true;
    this.#expiry.stop();
    if (this.#stopSaving === null) return;
    this.#stopSaving();
    this.#saveSeen();
  }

  authenticate(secret: string): Caller | null {
    if (findBySecret([this.#own], secret) !== null) return owner;
    if (secret.startsWith(prefixes.device)) return this.#asDevice(secret);
    if (secret.startsWith(prefixes.key)) return this.#asKey(secret);
    return null;
  }

  #asDevice(secret: string): Caller | null {
    const device = this.#valid(findBySecret(this.#credentials.devices, secret));
    if (device === null) return null;
    device.lastSeenAt = this.#now();
    if (!this.#closed) {
      this.#stopSaving ??= this.#clock.after(SEEN_DELAY, () => this.#saveSeen());
    }
    return callerOf("device", device);
  }

  #asKey(secret: string): Caller | null {
    const key = this.#valid(findBySecret(this.#credentials.keys, secret));
    return key === null ? null : callerOf("key", key);
  }

  /** True while the caller's credential is valid: it may be revoked after its request was admitted. */
  stands(caller: Caller): boolean {
    return caller.kind === "host" || this.#valid(this.#named(caller.id)) !== null;
  }

  /** Creates a one-time link. Its device gets the rights and the lifetime of the link's maker. */
  createLink(caller: Caller, session: string | null): { code: string; expiresAt: string } {
    this.#refuseGone(caller);
    const { tenant } = caller;
    const links = this.#credentials.links.filter(
      ({ lifetime }) => !hasExpired(this.#clock, lifetime),
    );
    refuseMore("links", links, tenant);
    const { secret: code, hash } = newCredential("link", this.#random);
    const lifetime = lastingUntil(this.#clock, this.#clock.now() + LINK_LIFE);
    const link = { hash, tenant, scopes: [...caller.scopes], by: caller.id, session, lifetime };
    this.#commit({ ...this.#credentials, links: [...links, link] });
    return { code, expiresAt: new Date(lifetime.expiresAt).toISOString() };
  }

  /** One write removes the link and adds the device: of concurrent logins exactly one succeeds. */
  redeem(
    code: string,
    name: string,
  ): { device: DeviceView; token: string; session: string | null } {
    const { devices, links } = this.#credentials;
    const link = this.#valid(findBySecret(links, code));
    const lifetime = link === null ? null : this.#lifetimeOf(link.by);
    if (link === null || hasExpired(this.#clock, lifetime)) throw this.#wrongCode();
    const { tenant, scopes, session, by } = link;
    refuseMore("devices", devices, tenant);
    const { secret: token, hash } = newCredential("device", this.#random);
    const id = this.#newId("dev");
    const at = this.#now();
    const device = { id, name, tenant, scopes, by, hash, createdAt: at, lifetime, lastSeenAt: at };
    this.#commit({
      ...this.#credentials,
      devices: [...devices, device],
      links: links.filter((other) => other !== link),
    });
    return { device: deviceView(device, id), token, session };
  }

  /** Counts only wrong codes: a limit on right ones would let an attacker lock people out. */
  #wrongCode(): HostError {
    const limited = this.#wrongCodes.take("codes");
    return (
      limited ??
      new HostError(
        "link_invalid",
        "This link was already used or has expired. Make a new one with: holdfast link",
      )
    );
  }

  listDevices(caller: Caller): DeviceView[] {
    const { devices } = this.#credentials;
    return devices.filter(within(caller)).map((device) => deviceView(device, caller.id));
  }

  revokeDevice(caller: Caller, id: string): boolean {
    return this.#revoke("devices", caller, id);
  }

  listKeys(caller: Caller): KeyView[] {
    return this.#credentials.keys.filter(within(caller)).map(keyView);
  }

  createKey(caller: Caller, input: NewKey): { key: KeyView; secret: string } {
    this.#refuseGone(caller);
    const tenant = input.tenant ?? caller.tenant;
    refuseGrant(caller, tenant, input.scopes);
    const { keys } = this.#credentials;
    refuseMore("keys", keys, tenant);
    const { secret, hash } = newCredential("key", this.#random);
    const key: Key = {
      id: this.#newId("key"),
      name: input.name,
      tenant,
      scopes: [...new Set(input.scopes)],
      by: caller.id,
      hash,
      createdAt: this.#now(),
      lifetime: shorter(this.#asked(input.expiresAt), this.#lifetimeOf(caller.id)),
    };
    this.#commit({ ...this.#credentials, keys: [...keys, key] });
    return { key: keyView(key), secret };
  }

  revokeKey(caller: Caller, id: string): boolean {
    return this.#revoke("keys", caller, id);
  }

  createTicket(caller: Caller): { ticket: string; expiresAt: string } {
    this.#refuseGone(caller);
    return this.#tickets.create(caller);
  }

  useTicket(ticket: string): Caller | null {
    const caller = this.#tickets.use(ticket);
    return caller !== null && this.stands(caller) ? caller : null;
  }

  /** Calls `listener` once for each credential that was revoked or expired; its connections must end. */
  onRevoked(listener: (credentialId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Also revokes every link, device and key that the credential made, directly or through others. */
  #revoke(list: "devices" | "keys", caller: Caller, id: string): boolean {
    const { devices, keys, links } = this.#credentials;
    const record = this.#credentials[list].find((one) => one.id === id && within(caller)(one));
    if (record === undefined) return false;
    const all = [...devices, ...keys];
    refuseRevoke(caller, descentOf(caller.id, all).has(id));
    const gone = descentOf(id, all);
    this.#commit({
      devices: devices.filter((device) => !gone.has(device.id)),
      keys: keys.filter((key) => !gone.has(key.id)),
      links: links.filter(({ by }) => !gone.has(by)),
    });
    for (const one of gone) this.#tell(one);
    return true;
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(id);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Writes the file before memory changes, so that callers only see durable credentials. */
  #commit(credentials: Credentials): void {
    if (this.#closed) {
      throw new HostError("journal_closed", "The host is stopping. Try again in a moment.");
    }
    writeCredentials(this.#path, credentials);
    this.#credentials = credentials;
    this.#watchExpiry();
  }

  #watchExpiry(): void {
    this.#expiry.watch([...this.#credentials.devices, ...this.#credentials.keys]);
  }

  #saveSeen(): void {
    this.#stopSaving = null;
    try {
      writeCredentials(this.#path, this.#credentials);
    } catch (error) {
      this.#onError(error);
    }
  }

  #asked(expiresAt: string | null): Lifetime | null {
    if (expiresAt === null) return null;
    const time = Date.parse(expiresAt);
    if (time > this.#clock.now()) return lastingUntil(this.#clock, time);
    throw new HostError("bad_input", "expiresAt must be in the future.");
  }

  /** A request may outlive its credential: a revoked one must not create others. */
  #refuseGone(caller: Caller): void {
    if (this.stands(caller)) return;
    throw new HostError(
      "unauthorized",
      "This credential was revoked or has expired. Sign in again, or use another key.",
    );
  }

  #lifetimeOf(credentialId: string): Lifetime | null {
    return this.#named(credentialId)?.lifetime ?? null;
  }

  #named(credentialId: string): Device | Key | null {
    const { devices, keys } = this.#credentials;
    return [...devices, ...keys].find(({ id }) => id === credentialId) ?? null;
  }

  #valid<T extends { readonly lifetime: Lifetime | null }>(record: T | null): T | null {
    return record === null || hasExpired(this.#clock, record.lifetime) ? null : record;
  }

  #newId(prefix: "dev" | "key"): string {
    return `${prefix}_${Buffer.from(this.#random(16)).toString("hex")}`;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function report(error: unknown): void {
  process.stderr.write(`holdfast: access: ${error instanceof Error ? error.message : error}\n`);
}
