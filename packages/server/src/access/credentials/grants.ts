/** Rules for the credentials and routes that a caller may see, create and revoke. */

import {
  type DeviceView,
  HostError,
  type KeyView,
  type RouteSpec,
  type Scope,
} from "@holdfast/protocol";
import { type Caller, HOST_TENANT } from "./caller.ts";
import { type Device, isoOf, type Key } from "./credentials.ts";

/** Limits per tenant: more than anyone names, and few enough to scan for every request. */
const MOST = { devices: 200, keys: 200, links: 50 } as const;

export function callerOf(kind: "device" | "key", record: Device | Key): Caller {
  const { id, name, tenant, scopes } = record;
  return { id, kind, name, tenant, scopes: new Set(scopes) };
}

/** The host's owner sees every tenant's credentials, because it can create keys for every tenant. */
export function within(caller: Caller): (record: { readonly tenant: string }) => boolean {
  return ({ tenant }) => caller.kind === "host" || tenant === caller.tenant;
}

/** Checks the scope, and that only the host's tenant uses routes over the whole host. */
export function refuseRoute(
  caller: Caller,
  { access, wholeHost }: Pick<RouteSpec, "access" | "wholeHost">,
): HostError | null {
  if (access !== "public" && !caller.scopes.has(access)) {
    return new HostError(
      "forbidden",
      `This needs a credential with ${access} rights. Use another key.`,
    );
  }
  if (wholeHost !== true || caller.kind === "host" || caller.tenant === HOST_TENANT) return null;
  return new HostError(
    "forbidden",
    "This concerns the whole host. Use the host's own token, or an API key of its tenant with admin rights.",
  );
}

/** The host's own token may name the tenant it acts in; every other credential has a fixed one. */
export function inTenant(caller: Caller, tenant: string | undefined): Caller {
  if (tenant === undefined || tenant === caller.tenant) return caller;
  if (caller.kind === "host") return { ...caller, tenant };
  throw new HostError(
    "forbidden",
    "Only the host's own token may name another tenant. Leave the header holdfast-tenant out.",
  );
}

export function refuseGrant(caller: Caller, tenant: string, granted: readonly Scope[]): void {
  if (tenant !== caller.tenant && caller.kind !== "host") {
    throw new HostError(
      "forbidden",
      "Only the host's own token makes keys for another tenant. Leave `tenant` out.",
    );
  }
  const lacking = granted.filter((scope) => !caller.scopes.has(scope));
  if (lacking.length === 0) return;
  throw new HostError(
    "forbidden",
    `A key cannot have more rights than your own credential, which lacks: ${lacking.join(", ")}.`,
  );
}

/** A credential's id and those of all credentials made by it, directly or through others. */
export function descentOf(
  id: string,
  records: readonly { readonly id: string; readonly by?: string | undefined }[],
): ReadonlySet<string> {
  const found = new Set([id]);
  // A record may stand before its maker, so the scan repeats until it finds no further ids.
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const record of records) if (found.has(record.by ?? "")) found.add(record.id);
  }
  return found;
}

/** Callers may revoke their own credential and those made by it; others need the admin scope. */
export function refuseRevoke(caller: Caller, isOwn: boolean): void {
  if (isOwn || caller.scopes.has("admin")) return;
  throw new HostError(
    "forbidden",
    "You may revoke only credentials that yours created. Use a credential with admin rights.",
  );
}

export function refuseMore(
  list: keyof typeof MOST,
  records: readonly { readonly tenant: string }[],
  tenant: string,
): void {
  const most = MOST[list];
  if (records.filter((record) => record.tenant === tenant).length < most) return;
  throw new HostError("limit_reached", `There are already ${most} ${list}. Revoke some first.`);
}

export function deviceView(device: Device, callerId: string): DeviceView {
  const { id, name, tenant, scopes, createdAt, lifetime, lastSeenAt } = device;
  const expiresAt = isoOf(lifetime);
  return { id, name, tenant, scopes, createdAt, expiresAt, lastSeenAt, current: id === callerId };
}

export function keyView({ id, name, tenant, scopes, createdAt, lifetime }: Key): KeyView {
  return { id, name, tenant, scopes, createdAt, expiresAt: isoOf(lifetime) };
}
