import type { DiffLine } from "./hunks.ts";

/** A hunk header `@@ -1,3 +1,4 @@`; captures its first line in the new file. */
const piece = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

const signs = { " ": " ", "+": "+", "-": "−" } as const;

export function patchLines(patch: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  // The current line in the new file; null in the file header, which is skipped.
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
      // Skips "\ No newline at end of file", which is not a line of the file.
      if (sign === undefined) continue;
      lines.push({ sign, text: line.slice(1), at: sign === "−" ? null : at++ });
    }
  }
  return lines;
}
