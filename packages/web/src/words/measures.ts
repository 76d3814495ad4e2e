/** How many, how large and when. */

export function count(n: number, one: string, many = `${one}s`): string {
  return `${figure(n)} ${n === 1 ? one : many}`;
}

/** 12,345 reads as a size, 12345 as a code. */
export function figure(n: number): string {
  return n < 1000 ? String(n) : n.toLocaleString("en");
}

/** Tokens and the like: nobody compares their last digits. */
export function roughly(n: number): string {
  if (n < 1000) return String(n);
  if (n < 10_000) return `${(n / 1000).toFixed(1)}k`;
  return n < 1_000_000 ? `${Math.round(n / 1000)}k` : `${(n / 1_000_000).toFixed(1)}M`;
}

export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, n)) / 3));
  const size = n / 1000 ** step;
  return `${step === 0 || size >= 10 ? Math.round(size) : size.toFixed(1)} ${units[step]}`;
}

/** The time on a clock: what stands on the line is found again by it. */
export function clock(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "?";
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Dear to make: only for what is looked at. */
export function exactTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? at
    : time.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

export function listed(words: readonly string[]): string {
  return words.length < 2
    ? (words[0] ?? "")
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
