/** A way from a host to its followers: one WebSocket, or a stream for each where there is none. */

import type { Access } from "../request.ts";
import type { Clock } from "../timers.ts";
import type { Follower, Heard, ListHeard } from "./heard.ts";
import type { OpenSocket } from "./link.ts";

export type CarrierState =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "away"; readonly reason: string; readonly retryInMs: number }
  /** The credential is no longer good: nothing is tried until there is another. */
  | { readonly state: "unauthorized"; readonly reason: string };

export interface Carrier {
  readonly via: "socket" | "stream";
  /** Begins where its follower stands; again means over again, from there. */
  follow(session: string): void;
  unfollow(session: string): void;
  followList(): void;
  unfollowList(): void;
  /** The page may have slept: look whether the host is still there, now. */
  wake(): void;
  /** Someone waits for an answer: look whether the host is still there, if that can be asked. */
  ask(): void;
  /** The network is said to be gone: what there was is not trusted any more. */
  doubt(reason: string): void;
  close(): void;
}

/** What a carrier works for. */
export interface Carried {
  readonly access: Access;
  readonly clock: Clock;
  readonly open: OpenSocket | null;
  readonly followers: ReadonlyMap<string, Follower>;
  readonly isListFollowed: boolean;
  hear(session: string, heard: Heard): void;
  hearList(heard: ListHeard): void;
  stand(state: CarrierState): void;
  /** A WebSocket cannot be had, though the host is there. */
  cannot(): void;
}
