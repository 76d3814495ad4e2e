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
  type FollowSettings,
  type FollowTarget,
  follow,
  type StreamState,
} from "./event-stream.ts";
export type { Access, Address, Fetch } from "./request.ts";
export { systemTimers, type Timers } from "./timers.ts";
