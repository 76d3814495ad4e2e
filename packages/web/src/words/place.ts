/** A session's workspace in words. */

import type { SessionView } from "@holdfast/protocol";

type Workspace = Pick<SessionView["workspace"], "kind" | "path">;

/** The path that a person chose; a folder made for the session is only called fresh. */
export function folderWords({ path }: Workspace): string {
  return path === null || path === "" ? "a new folder" : path;
}
