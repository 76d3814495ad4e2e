/** Bytes as they are. Anyone may have written them, so that no browser may take them for a page. */

import type { ServerResponse } from "node:http";
import type { Context } from "hono";

type Stream = ReadableStream<Uint8Array>;
/** Refuses what cannot be opened any more, before the answer begins. */
type OpenStream = () => Stream | Promise<Stream>;

export class Bytes {
  /** For a file to be saved as; goes into a header as it is. */
  readonly name: string;
  readonly size: number;
  readonly stream: OpenStream;

  constructor(name: string, size: number, stream: OpenStream) {
    this.name = name;
    this.size = size;
    this.stream = stream;
  }
}

/** A reader that takes nothing for this long is gone, and its file is closed. */
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
  // Nobody reads the body of a HEAD, and an open file would wait for it.
  if (context.req.method === "HEAD") return new Response(null, { headers });
  const { outgoing } = (context.env ?? {}) as { outgoing?: ServerResponse };
  outgoing?.setTimeout(STALL);
  return new Response(await stream(), { headers });
}
