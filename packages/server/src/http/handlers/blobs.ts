/** Serves a blob: content that was too long for an event. */

import { HostError } from "@holdfast/protocol";
import { Bytes } from "../request/bytes.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";

export function blobHandlers({ host: { blobs } }: HandlerDeps): HandlersOf<"getBlob"> {
  return {
    async getBlob({ at: { session }, params: { hash } }) {
      const found = await blobs.read(session, hash);
      // A name that finds a blob is a hash, which is safe inside a header.
      if (found !== null) return new Bytes(hash, found.bytes, found.stream);
      throw new HostError(
        "not_found",
        blobs.hasLeftOut(session)
          ? "This output was truncated, because output storage for this session is full. The events contain its beginning."
          : "This session has no blob with this hash. Use a hash from its events.",
      );
    },
  };
}
