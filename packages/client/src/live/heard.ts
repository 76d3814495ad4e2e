/** What a follower of a session hears, whichever way it came. */

import type { Event, ListedView, Message, Needs, SessionState } from "@holdfast/protocol";
import type { ApiError } from "../errors.ts";

export interface Heartbeat {
  readonly seq: number;
  /** The journal's checksum up to `seq`; null while the host does not know it yet. */
  readonly chain: number | null;
  /** The host's clock. */
  readonly now: string;
  readonly foldVersion: number;
}

export interface Reset {
  readonly seq: number;
  readonly chain: number;
  readonly state: SessionState;
  readonly messages: readonly Message[];
}

export type Heard =
  /** What comes is after `after`; `seq` is the journal's head now, null where nobody says. */
  | { readonly type: "following"; readonly after: number; readonly seq: number | null }
  | { readonly type: "events"; readonly events: readonly Event[] }
  | ({ readonly type: "heartbeat" } & Heartbeat)
  /** What lies below was folded: start over with this, and go on after `seq`. */
  | ({ readonly type: "reset" } & Reset)
  | { readonly type: "token"; readonly runId: string; readonly token: string }
  /** The session was deleted. */
  | { readonly type: "gone" }
  /** The host says no; following is over until it is asked for again. */
  | { readonly type: "refused"; readonly error: ApiError };

export interface Follower {
  /** The last seq it has: asked at every new connection, so that nobody else keeps a cursor. */
  position(): number;
  hear(heard: Heard): void;
}

/** A row of the live list that changed. */
export interface ListRow extends ListedView {
  readonly session: string;
}

export type ListHeard =
  | { readonly type: "row"; readonly row: ListRow }
  | { readonly type: "needs"; readonly needs: Needs }
  /** Changes may have been missed: read the list again. */
  | { readonly type: "stale" };

export type ListFollower = (heard: ListHeard) => void;
