import { join } from "node:path";
import { namesIn } from "../directory/files.ts";
import { readLaunchFile } from "../directory/launch-file.ts";

export interface ListedHolder {
  readonly holderId: string;
  /** Empty when the host died before it wrote the launch file. */
  readonly sessionId: string;
}

export function listHolders(root: string): ListedHolder[] {
  const names = namesIn(root).filter((name) => !name.startsWith("."));
  return names.map((holderId) => {
    const sessionId = readLaunchFile(join(root, holderId))?.sessionId ?? "";
    return { holderId, sessionId };
  });
}
