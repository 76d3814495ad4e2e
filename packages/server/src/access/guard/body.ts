/** Reads a request body up to a limit before any handler runs; a larger one is refused. */

import { HostError } from "@holdfast/protocol";
import type { HonoRequest } from "hono";
import { hasBody } from "./guard.ts";

/** Caches the body, so that handlers can call `c.req.json()` or `text()` afterwards. */
export async function readBody(request: HonoRequest, limit: number): Promise<HostError | null> {
  const { headers } = request.raw;
  if (!hasBody(headers) || request.bodyCache.text !== undefined) return null;
  try {
    // Node's parser delivers exactly as many bytes as `content-length` says.
    if (!headers.has("transfer-encoding")) {
      if (Number(headers.get("content-length")) > limit) return tooLarge(limit);
      await request.text();
      return null;
    }
    const { body } = request.raw;
    const text = body === null ? "" : await readWithin(body, limit);
    if (text === null) return tooLarge(limit);
    keepText(request, text);
    return null;
  } catch {
    return cutOff();
  }
}

/** Hono stores promises here, although its types say values. */
export function keepText(request: HonoRequest, text: string): void {
  request.bodyCache.text = Promise.resolve(text) as unknown as string;
}

export function cutOff(): HostError {
  return new HostError("bad_input", "The body ended before it was complete. Send it again.");
}

async function readWithin(body: ReadableStream<Uint8Array>, limit: number): Promise<string | null> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString("utf8");
    size += value.length;
    if (size > limit) return null;
    chunks.push(value);
  }
}

export function tooLarge(limit: number): HostError {
  return new HostError("too_large", `A body may have at most ${limit} bytes. Send less at once.`);
}
