/** A directory of its own for each test, gone afterwards. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Hundreds of stores are opened: the full ballast would be most of their cost. */
export const ballastBytes = 64 * 1024;

export function temporaryDirectory(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-journal-"));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
