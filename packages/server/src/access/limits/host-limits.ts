/** Limits for callers with a credential, each with its reason. The operator may change them. */

import type { Rate } from "./buckets.ts";

export interface HostLimits {
  /** Active sessions of one tenant: enough for years of a busy person. */
  readonly sessionsPerTenant: number;
  /** Active sessions of all tenants: twice the number for which a quick start is promised. */
  readonly sessions: number;
  /** Changes per credential: high enough for a script that works through a list. */
  readonly changes: Rate;
}

export const hostLimits: HostLimits = {
  sessionsPerTenant: 5000,
  sessions: 20_000,
  changes: { burst: 500, perSecond: 100 },
};
