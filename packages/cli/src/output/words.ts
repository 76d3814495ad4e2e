/** Text with tones, which a terminal may show as colours. */

import type { Tone } from "@holdfast/protocol";

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Words = string | Span | readonly (string | Span)[];

export const toned = (tone: Tone, text: string): Span => ({ text, tone });
export const quiet = (text: string): Span => toned("quiet", text);

export function spansOf(words: Words): readonly (string | Span)[] {
  return Array.isArray(words) ? words : [words as string | Span];
}

export function plain(words: Words): string {
  return spansOf(words)
    .map((span) => (typeof span === "string" ? span : span.text))
    .join("");
}
