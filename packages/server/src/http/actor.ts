import type { Caller } from "../access/caller.ts";

/** Who is said to have done it, in the journal and to everyone who looks later. */
export function actor(caller: Caller | null): string {
  return caller === null ? "token" : caller.name;
}

/** The same with the credential's id: a device may have any name, also that of the host. */
export function signed(caller: Caller | null): { by: string; credential?: string } {
  return { by: actor(caller), ...(caller === null ? {} : { credential: caller.id }) };
}
