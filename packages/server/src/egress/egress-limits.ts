/** Limits of one sandbox's egress; what exceeds them is refused or closed, and no other sandbox notices. */
export interface EgressLimits {
  /** Connections at once; with as many upstream, half of the usual 1,024 open files. */
  readonly connections: number;
  readonly headerBytes: number;
  /** Milliseconds for a whole request head, counted from the connection. */
  readonly head: number;
  /** A client hello with post-quantum keys has about 2 KB. */
  readonly helloBytes: number;
  readonly hello: number;
  /** Milliseconds to resolve a name and connect to it. */
  readonly connect: number;
  /** Milliseconds without a byte in either direction; models think for minutes. */
  readonly idle: number;
  /** Milliseconds for which an unused upstream connection is kept, because a TLS handshake costs round trips. */
  readonly unused: number;
}

export const egressLimits: EgressLimits = {
  connections: 256,
  headerBytes: 32 * 1024,
  head: 10_000,
  helloBytes: 16 * 1024,
  hello: 10_000,
  connect: 20_000,
  idle: 60 * 60 * 1000,
  unused: 15_000,
};
