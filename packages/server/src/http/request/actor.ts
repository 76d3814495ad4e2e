import type { Caller } from "../../access/credentials/caller.ts";

/** The name that the journal records as the author of a command. */
export function actor(caller: Caller | null): string {
  return caller === null ? "token" : caller.name;
}

/** The author with the credential's id, because a device may have any name, even the host's. */
export function signed(caller: Caller | null): { by: string; credential?: string } {
  return { by: actor(caller), ...(caller === null ? {} : { credential: caller.id }) };
}
