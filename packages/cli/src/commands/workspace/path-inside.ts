import { posix } from "node:path";
import { usage } from "../../exit.ts";

/** The path without `./`, `a/../` and a trailing slash; `.` is the workspace itself. */
export function pathInside(given: string): string {
  const path = posix.normalize(given).replace(/(?<=.)\/$/, "");
  if (!posix.isAbsolute(path) && path !== ".." && !path.startsWith("../")) return path;
  throw usage(
    `"${given}" is outside the workspace. Name a path inside the workspace, such as src/main.ts.`,
  );
}
