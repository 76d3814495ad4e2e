/** Numbers, sizes and times in words. */

export function count(n: number, one: string, many = `${one}s`): string {
  return `${figure(n)} ${n === 1 ? one : many}`;
}

/** A number with thousands separators. */
export function figure(n: number): string {
  return n < 1000 ? String(n) : n.toLocaleString("en");
}

/** A rounded number, for tokens and the like. */
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

/** The time of day, as shown beside the line. */
export function clock(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "?";
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** The exact date and time. Slow to compute, so only for a time that the person points at. */
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
