import type { Caller } from "../access/caller.ts";

/** Who is said to have done it, in the journal and to everyone who looks later. */
export function actor(caller: Caller | null): string {
  return caller === null ? "token" : caller.name;
}
