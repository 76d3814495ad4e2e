import type { Scope } from "@holdfast/protocol";

/** The tenant of the host's owner, and of all that grows from the host's own token. */
export const HOST_TENANT = "default";

/** Who asks, once their credential was checked. */
export interface Caller {
  /** The credential's own id: revoking it ends everything that came in by it. */
  readonly id: string;
  readonly kind: "host" | "device" | "key";
  readonly name: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<Scope>;
}
