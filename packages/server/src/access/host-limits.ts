/** How much those who are known may do, with its reason. Whoever runs a host may set others. */

import type { Rate } from "./buckets.ts";

export interface HostLimits {
  /** Sessions of one tenant that have not ended: years of a busy person's. */
  readonly sessionsPerTenant: number;
  /** Of all tenants together: twice as many as a start is promised to be quick with. */
  readonly sessions: number;
  /** How often each credential may change something: a script that works through a list never notices. */
  readonly changes: Rate;
}

export const hostLimits: HostLimits = {
  sessionsPerTenant: 5000,
  sessions: 20_000,
  changes: { burst: 500, perSecond: 100 },
};
