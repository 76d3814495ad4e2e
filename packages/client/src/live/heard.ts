/** The messages that a session's follower gets from any transport. */

import type { Event, ListedView, Needs } from "@holdfast/protocol";
import type { ApiError } from "../errors.ts";
import type { Heartbeat, Reset, RunToken } from "../wire.ts";

export type Heard =
  /** Events after `after` follow; `seq` is the journal's head now, null when unknown. */
  | { readonly type: "following"; readonly after: number; readonly seq: number | null }
  | { readonly type: "events"; readonly events: readonly Event[] }
  | ({ readonly type: "heartbeat" } & Heartbeat)
  /** Earlier events were trimmed: start over with this state, and continue after `seq`. */
  | ({ readonly type: "reset" } & Reset)
  | ({ readonly type: "token" } & RunToken)
  | { readonly type: "gone" }
  /** The host refused; the subscription has ended until it is started again. */
  | { readonly type: "refused"; readonly error: ApiError };

export interface Follower {
  /** The follower's last seq, asked at every new connection, so that there is one cursor only. */
  position(): number;
  hear(heard: Heard): void;
}

export interface ListRow extends ListedView {
  readonly session: string;
}

export type ListHeard =
  | { readonly type: "row"; readonly row: ListRow }
  | { readonly type: "needs"; readonly needs: Needs }
  /** Changes may have been missed: read the list again. */
  | { readonly type: "stale" };

export type ListFollower = (heard: ListHeard) => void;
