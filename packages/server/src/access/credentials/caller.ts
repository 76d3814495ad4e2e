import type { Scope } from "@holdfast/protocol";

/** The tenant of the host's owner and of all credentials made from the host's own token. */
export const HOST_TENANT = "default";

/** The owner of a credential that was verified. */
export interface Caller {
  /** The credential's id; revoking it ends all its connections. */
  readonly id: string;
  readonly kind: "host" | "device" | "key";
  readonly name: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<Scope>;
}
