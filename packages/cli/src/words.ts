/** Text with tones, which a terminal may show as colours, and counts and sizes in words. */

/** One colour per meaning. A tone always accompanies a word or glyph that says the same. */
export type Tone = "alive" | "needs" | "bad" | "paused" | "recovered" | "quiet" | "strong";

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

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, n)) / 3));
  const size = n / 1000 ** step;
  return `${step === 0 || size >= 10 ? Math.round(size) : size.toFixed(1)} ${units[step]}`;
}
