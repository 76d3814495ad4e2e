/** A transport from a host to its followers: one WebSocket, or a stream per session without one. */

import type { Access } from "../request.ts";
import type { Clock } from "../timers.ts";
import type { Follower, Heard, ListHeard } from "./heard.ts";
import type { OpenSocket } from "./link.ts";

export type TransportState =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "away"; readonly reason: string; readonly retryInMs: number }
  /** The credential is no longer valid: reconnecting stops until there is another. */
  | { readonly state: "unauthorized"; readonly reason: string };

export interface Transport {
  readonly via: "socket" | "stream";
  /** Starts at the follower's position; a second call restarts it there. */
  follow(session: string): void;
  unfollow(session: string): void;
  followList(): void;
  unfollowList(): void;
  /** Checks at once whether the host is still there, because the page may have slept. */
  wake(): void;
  /** Checks whether the host is still there, if the transport allows it: a caller waits for an answer. */
  ask(): void;
  /** The device is offline: the present connection is no longer trusted. */
  doubt(reason: string): void;
  close(): void;
}

/** The feed, as a transport sees it. */
export interface TransportPort {
  readonly access: Access;
  readonly clock: Clock;
  readonly open: OpenSocket | null;
  readonly followers: ReadonlyMap<string, Follower>;
  readonly isListFollowed: boolean;
  hear(session: string, heard: Heard): void;
  hearList(heard: ListHeard): void;
  stand(state: TransportState): void;
  /** WebSockets do not work, although the host is reachable. */
  cannot(): void;
}
