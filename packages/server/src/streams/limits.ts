/** Every time and bound of a stream, with its reason. Times are milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const KB = 1024;

export const streamLimits = {
  /** Proxies and phones give up on a connection that is silent for half a minute. */
  heartbeat: 15 * SECOND,
  /** How soon an EventSource comes back: sooner than a person wonders, later than a tight loop. */
  retry: SECOND,
  /** A new connection is a new authorisation, and frees what no one could see was half-open. */
  recycle: 10 * MINUTE,
  /** A reader that took nothing for this long, while there was something, is gone. */
  stall: MINUTE,
  /** How often the kernel is asked what its other ends have confirmed. */
  look: 10 * SECOND,
  /** With a heartbeat and two looks before it, a half-open reader is gone within a minute. */
  unconfirmed: 30 * SECOND,
  /** Long enough to hand a marker to whoever reads; an exit waits no longer for who does not. */
  closing: 2 * SECOND,
  /** What a revoked credential's connection gets to say why. */
  revoking: 500,
  /** Longer than a slow phone needs for its first message. */
  auth: 5 * SECOND,
  /** Two unanswered and the third finds a half-open socket, within a minute. */
  ping: 20 * SECOND,
  /** Past this nothing is read for a socket; with one more slice it is still far below 1 MB. */
  queueBytes: 256 * KB,
  /** The largest message a client has to send is a subscription. */
  messageBytes: 64 * KB,
  /** Messages taken ahead of their turn before a socket is not read any more. */
  inbox: 64,
  /** More sessions than anyone has open. */
  subscriptions: 200,
  /** Tabs and devices behind one credential. */
  socketsPerCredential: 64,
  /** Streams and sockets of one: twice the crowd we promise to serve, half of what an address may hold. */
  streamsPerCredential: 2000,
  /** Whoever they are: the host has connections left for everyone else. */
  readersPerSession: 4000,
  /** Sockets that have not said who they are yet. */
  strangers: 256,
  /** Tokens kept for creators who do not follow just now, and creators remembered. */
  keptTokens: 1000,
  creators: 20_000,
} as const;

export type StreamLimits = { readonly [K in keyof typeof streamLimits]: number };
