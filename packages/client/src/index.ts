export type { Watchable } from "./cell.ts";
export {
  type CallName,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  randomKey,
} from "./client.ts";
export { ApiError, StreamError, TransportError } from "./errors.ts";
export {
  type Followed,
  type FollowOptions,
  type FollowTarget,
  follow,
  type StreamState,
} from "./event-stream.ts";
export { Holdfast, type HoldfastOptions } from "./holdfast.ts";
export type { Connection } from "./live/feed.ts";
export type { OpenSocket, WebSocketLike } from "./live/link.ts";
export type { Page } from "./live/wake.ts";
export type { Locks } from "./locks.ts";
export { openOutboxStorage } from "./outbox/indexed-db.ts";
export type { Action, OutboxStorage, Refusal, StoredItem } from "./outbox/item.ts";
export { memoryStorage } from "./outbox/memory.ts";
export { Outbox, type OutboxItem, type OutboxSnapshot } from "./outbox/outbox.ts";
export type { Access, Fetch } from "./request.ts";
export { ResumeAttempt, type ResumeState } from "./session/resume-attempt.ts";
export { type KeyValues, Seen } from "./session/seen.ts";
export { SessionStore } from "./session/session-store.ts";
export type { Away, SessionSnapshot } from "./session/snapshot.ts";
export {
  type ListedSession,
  type SessionQuery,
  type SessionsSnapshot,
  SessionsStore,
} from "./sessions-store.ts";
export { type Clock, systemClock, systemTimers, type Timers } from "./timers.ts";
