/** Sends untrusted raw bytes as a download, which browsers must not render as a page. */

import type { ServerResponse } from "node:http";
import type { Context } from "hono";

type Stream = ReadableStream<Uint8Array>;
/** Opens the bytes. Rejects before the answer begins when they no longer exist. */
type OpenStream = () => Stream | Promise<Stream>;

export class Bytes {
  /** The file name for saving; must be safe inside a header. */
  readonly name: string;
  readonly size: number;
  readonly stream: OpenStream;

  constructor(name: string, size: number, stream: OpenStream) {
    this.name = name;
    this.size = size;
    this.stream = stream;
  }
}

/** A reader that reads no bytes for this long is disconnected, and its file is closed. */
const STALL = 60_000;

export async function bytesResponse(
  context: Context,
  { name, size, stream }: Bytes,
): Promise<Response> {
  const headers = {
    "content-type": "application/octet-stream",
    "content-length": String(size),
    "content-disposition": `attachment; filename="${name}"`,
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
  };
  // A HEAD has no body, so its file is not opened.
  if (context.req.method === "HEAD") return new Response(null, { headers });
  const { outgoing } = (context.env ?? {}) as { outgoing?: ServerResponse };
  outgoing?.setTimeout(STALL);
  return new Response(await stream(), { headers });
}
