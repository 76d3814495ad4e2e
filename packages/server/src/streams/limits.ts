/** Every time limit and bound of a stream, with its reason. Times are milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const KB = 1024;

export const streamLimits = {
  /** Proxies and phones close a connection that is silent for half a minute. */
  heartbeat: 15 * SECOND,
  /** Reconnect delay of an EventSource: short enough for people, long enough to avoid a tight loop. */
  retry: SECOND,
  /** A reconnect checks the credential again, and frees half-open connections that were not noticed. */
  recycle: 10 * MINUTE,
  /** A reader that read nothing for this long, while data was pending, is disconnected. */
  stall: MINUTE,
  /** Interval for reading the kernel's table of unconfirmed bytes. */
  look: 10 * SECOND,
  /** With a heartbeat and two readings, a half-open reader is found within a minute. */
  unconfirmed: 30 * SECOND,
  /** Time to deliver the last message to readers; the exit of the host waits no longer. */
  closing: 2 * SECOND,
  /** Time for a revoked connection to receive the reason. */
  revoking: 500,
  /** Longer than a slow phone needs for its first message. */
  auth: 5 * SECOND,
  /** The third ping after two unanswered ones closes a half-open socket, within a minute. */
  ping: 20 * SECOND,
  /** Above this a socket gets no further slices; with one more slice it is still far below 1 MB. */
  queueBytes: 256 * KB,
  /** The largest message of a client is a subscription. */
  messageBytes: 64 * KB,
  /** Queued messages of a socket before it is paused. */
  inbox: 64,
  /** More sessions than anyone has open. */
  subscriptions: 200,
  /** Tabs and devices that share one credential. */
  socketsPerCredential: 64,
  /** Streams and sockets per credential: twice the promised crowd, half of an address's connections. */
  streamsPerCredential: 2000,
  /** For all callers together, so that connections are left for other sessions. */
  readersPerSession: 4000,
  /** Sockets that have not authenticated yet. */
  strangers: 256,
  /** Tokens kept for creators who are not connected, and creators remembered. */
  keptTokens: 1000,
  creators: 20_000,
} as const;

export type StreamLimits = { readonly [K in keyof typeof streamLimits]: number };
