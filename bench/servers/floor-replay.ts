/**
 * Serves a plain file of the same lines over HTTP, with the same framing, read from disk in blocks.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sseFrames } from "../../packages/server/src/streams/sse/sse.ts";
import { open } from "../peers/floor-replay.ts";
import { answer, jobOf } from "../streams/remote.ts";

const { dir } = jobOf<{ dir: string }>();
const server = createServer(async (_request, response) => {
  const source = await open(dir);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for await (const slice of source.slices()) {
    if (!response.write(sseFrames(slice))) await once(response, "drain");
  }
  await source.close();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
answer({ open: () => (server.address() as AddressInfo).port });
