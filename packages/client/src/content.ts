/** Decodes an answer's body: JSON, text, bytes or empty. */

/** Calls `heard` for each chunk of bytes, so that a long answer does not run into the timeout. */
export async function contentOf(response: Response, heard: () => void): Promise<unknown> {
  if (response.status === 204) return undefined;
  const type = response.headers.get("content-type") ?? "";
  if (type === "application/octet-stream") return bytesOf(response, heard);
  const text = await response.text();
  return type.includes("json") ? JSON.parse(text) : text;
}

async function bytesOf({ body }: Response, heard: () => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    chunks.push(read.value);
    size += read.value.length;
    heard();
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
