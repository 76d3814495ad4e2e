/** Creates a temporary directory for each test and removes it afterwards. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Small, because tests open hundreds of stores and the full ballast would be most of their cost. */
export const ballastBytes = 64 * 1024;

export function temporaryDirectory(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-journal-"));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
