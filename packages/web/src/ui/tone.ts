import type { Tone } from "@holdfast/protocol";

/** Whole class names, because Tailwind finds only names that are written out. */
export const toneText: Readonly<Record<Tone, string>> = {
  alive: "text-alive",
  needs: "text-needs",
  lost: "text-lost",
  asleep: "text-asleep",
  recovered: "text-recovered",
  quiet: "text-quiet",
  strong: "text-ink",
};

export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
