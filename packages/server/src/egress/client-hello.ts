/** The server name in the first message of a TLS connection (RFC 8446 §4.1.2, RFC 6066 §3). */

import type { RefusalReason } from "./refusals.ts";

/** `more`: the message is not complete yet. `plain`: it is not TLS. */
export type HelloVerdict = { readonly serverName: string } | "more" | "plain" | RefusalReason;

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RECORD_HEADER = 5;
const SERVER_NAME = 0;
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;

/**
 * Reads the name from the bytes received so far. A client hello may span several records. One with an
 * encrypted part is refused, because its visible name need not be the one that the server serves.
 */
export function readServerName(bytes: Buffer): HelloVerdict {
  if ((bytes[0] ?? HANDSHAKE_RECORD) !== HANDSHAKE_RECORD) return "plain";
  const message = handshakeBytes(bytes);
  if (message === null) return "bad_tls";
  if (message.length >= 1 && message[0] !== CLIENT_HELLO) return "bad_tls";
  if (message.length < 4 || message.length < 4 + message.readUIntBE(1, 3)) return "more";
  try {
    return serverNameOf(message.subarray(4, 4 + message.readUIntBE(1, 3)));
  } catch (error) {
    if (error instanceof RangeError) return "bad_tls";
    throw error;
  }
}

/** The content of the complete and partial handshake records; null when another record comes. */
function handshakeBytes(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== HANDSHAKE_RECORD || (bytes[at + 1] ?? 3) !== 3) return null;
    if (at + RECORD_HEADER > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0) return null;
    parts.push(bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length));
    at += RECORD_HEADER + length;
  }
  return Buffer.concat(parts);
}

function serverNameOf(hello: Buffer): HelloVerdict {
  const afterRandom = 2 + 32;
  const afterSession = afterRandom + 1 + hello.readUInt8(afterRandom);
  const afterCiphers = afterSession + 2 + hello.readUInt16BE(afterSession);
  const afterCompression = afterCiphers + 1 + hello.readUInt8(afterCiphers);
  if (afterCompression === hello.length) return "hidden_name";
  const names: string[] = [];
  for (const [type, body] of vectorsOf(hello.subarray(afterCompression))) {
    if (type === ENCRYPTED_CLIENT_HELLO) return "hidden_name";
    if (type === SERVER_NAME) names.push(hostNameOf(body));
  }
  const [serverName] = names;
  if (serverName === undefined) return "hidden_name";
  return names.length === 1 ? { serverName } : "bad_tls";
}

function* vectorsOf(extensions: Buffer): Generator<readonly [type: number, body: Buffer]> {
  const end = 2 + extensions.readUInt16BE(0);
  if (end !== extensions.length) throw new RangeError("The extensions have another length.");
  for (let at = 2; at < end; ) {
    const length = extensions.readUInt16BE(at + 2);
    if (at + 4 + length > end) throw new RangeError("An extension is cut.");
    yield [extensions.readUInt16BE(at), extensions.subarray(at + 4, at + 4 + length)];
    at += 4 + length;
  }
}

/** The list holds exactly one entry, of the only type that exists, host_name. */
function hostNameOf(body: Buffer): string {
  const length = body.readUInt16BE(3);
  const isOneName =
    body.readUInt16BE(0) === body.length - 2 && body[2] === 0 && length === body.length - 5;
  if (!isOneName) throw new RangeError("The list of names has not one name.");
  return body.toString("latin1", 5).toLowerCase();
}
