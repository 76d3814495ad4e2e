/** A patch as git writes it, as lines to read. */

import type { DiffLine } from "./hunks.ts";

/** `@@ -1,3 +1,4 @@`: where a piece begins now. */
const piece = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

const signs = { " ": " ", "+": "+", "-": "−" } as const;

export function patchLines(patch: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  // Null before the first piece of a file: what stands there is said elsewhere.
  let at: number | null = null;
  for (const line of patch.replace(/\n$/, "").split("\n")) {
    const start = piece.exec(line)?.[1];
    if (start !== undefined) {
      const hidden: number = Number(start) - (at ?? 1);
      if (hidden > 0) lines.push({ sign: "…", hidden });
      at = Math.max(1, Number(start));
    } else if (line.startsWith("diff --git ")) {
      at = null;
    } else if (at !== null) {
      const sign = signs[line.charAt(0) as keyof typeof signs];
      // "\ No newline at end of file" is no line of it.
      if (sign === undefined) continue;
      lines.push({ sign, text: line.slice(1), at: sign === "−" ? null : at++ });
    }
  }
  return lines;
}
