/** Handlers of credentials: one-time links, devices, API keys, tickets. */

import { HostError } from "@holdfast/protocol";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { linkUrl } from "../request/link-addresses.ts";
import { sessionAt } from "../request/resolve-ids.ts";

type Names =
  | "login"
  | "logout"
  | "listDevices"
  | "revokeDevice"
  | "createLink"
  | "listKeys"
  | "createKey"
  | "revokeKey"
  | "createTicket";

export function accessHandlers({ access, host, linkAddresses }: HandlerDeps): HandlersOf<Names> {
  return {
    login: ({ body }) => access.redeem(body.code, body.name),
    logout({ caller }) {
      if (access.revokeDevice(caller, caller.id)) return { success: true };
      throw new HostError("forbidden", "Only a device can sign out. To end an API key, revoke it.");
    },
    listDevices: ({ caller }) => ({ devices: access.listDevices(caller) }),
    listKeys: ({ caller }) => ({ keys: access.listKeys(caller) }),
    createKey: ({ caller, body }) => access.createKey(caller, body),
    createTicket: ({ caller }) => access.createTicket(caller),

    revokeDevice({ caller, params: { deviceId } }) {
      if (access.revokeDevice(caller, deviceId)) return { success: true };
      throw new HostError("device_not_found", "Device not found");
    },

    revokeKey({ caller, params: { keyId } }) {
      if (access.revokeKey(caller, keyId)) return { success: true };
      throw new HostError("key_not_found", "Key not found");
    },

    async createLink({ caller, body: { session }, cameBy }) {
      if (session !== undefined) await sessionAt(host, session, caller.tenant);
      const { code, expiresAt } = access.createLink(caller, session ?? null);
      const { address, others, reach } = linkAddresses(cameBy);
      const otherUrls = others.map((other) => linkUrl(other, code));
      return { url: linkUrl(address, code), code, expiresAt, reach, otherUrls };
    },
  };
}
