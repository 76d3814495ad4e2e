import type { HolderRecovery } from "../session/recovery.ts";

/** Holders of a host without any: each that is recorded is dead, and left no frames. */
export const noHolders: HolderRecovery = {
  probe: async () => "dead",
  adopt: async () => undefined,
  drain: async () => undefined,
  contents: async () => null,
};
