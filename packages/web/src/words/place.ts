/** Where a session works, in words. */

import type { SessionView } from "@holdfast/protocol";

type Workspace = Pick<SessionView["workspace"], "kind" | "path">;

/** One that was made for the session has a place, but none that anybody chose. */
export function folderWords({ path }: Workspace): string {
  return path === null || path === "" ? "a fresh one of its own" : path;
}
