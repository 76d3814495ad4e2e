/** Signs this device in by a one-time link, whose code stands behind the `#`. */

import { ApiError, createClient } from "@holdfast/client";
import type { DeviceView } from "@holdfast/protocol";
import { deviceName } from "./words/device.ts";

export interface Credential {
  readonly token: string;
  /** Each sign-in has its own outbox, so that one person's actions are never sent as another's. */
  readonly deviceId: string;
}

const KEY = "holdfast.device";

export function readCredential(storage: Storage | null): Credential | null {
  try {
    const kept: unknown = JSON.parse(storage?.getItem(KEY) ?? "null");
    return isCredential(kept) ? kept : null;
  } catch {
    return null;
  }
}

export function forgetCredential(storage: Storage | null): void {
  storage?.removeItem(KEY);
}

export function hasLinkCode(location: Pick<Location, "hash">): boolean {
  return new URLSearchParams(location.hash.slice(1)).has("link");
}

/** Takes the code of a one-time link out of the address and the history. */
export function takeLinkCode(location: Location, history: History): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("link");
  if (code !== null) history.replaceState(null, "", location.pathname);
  return code;
}

/** Exchanges a code for a credential; saves nothing: the link may lead to another tenant. */
export async function redeemLink(url: string, code: string) {
  const client = createClient({ url, token: "" });
  const name = deviceName(navigator.userAgent);
  const { token, device, session } = await client.call("login", { body: { code, name } });
  const credential: Credential = { token, deviceId: device.id };
  return { credential, session, device };
}

export function keepCredential(storage: Storage | null, credential: Credential): void {
  storage?.setItem(KEY, JSON.stringify(credential));
}

/** The device of this credential; null when it is no longer valid. */
export async function deviceOf(url: string, { token }: Credential): Promise<DeviceView | null> {
  try {
    const { devices } = await createClient({ url, token }).call("listDevices");
    return devices.find(({ current }) => current) ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** Why a link was refused, for a browser that is signed in all the same. */
export function unneededLinkWords(error: unknown): string {
  if (error instanceof ApiError && error.code === "link_invalid") {
    return "This link was already used or has expired. You do not need a new one in this browser.";
  }
  return error instanceof Error ? error.message : String(error);
}

type Rights = Pick<DeviceView, "tenant" | "scopes" | "expiresAt">;

/** True when a device that is signed in may do all that the new one may, for as long. */
export function coversRights(known: Rights, fresh: Rights): boolean {
  return (
    known.tenant === fresh.tenant &&
    fresh.scopes.every((scope) => known.scopes.includes(scope)) &&
    (known.expiresAt === null || (fresh.expiresAt !== null && known.expiresAt >= fresh.expiresAt))
  );
}

/** Signs out a credential that the person declined, or that this browser does not need. */
export async function signOut(url: string, { token, deviceId }: Credential): Promise<void> {
  await createClient({ url, token }).call("revokeDevice", { params: { deviceId } });
}

function isCredential(value: unknown): value is Credential {
  const { token, deviceId } = (value ?? {}) as Partial<Credential>;
  return typeof token === "string" && typeof deviceId === "string";
}
