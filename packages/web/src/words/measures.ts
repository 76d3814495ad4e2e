export function roughly(n: number): string {
  if (n < 1000) return String(n);
  if (n < 10_000) return `${(n / 1000).toFixed(1)}k`;
  return n < 1_000_000 ? `${Math.round(n / 1000)}k` : `${(n / 1_000_000).toFixed(1)}M`;
}

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
  return new Intl.ListFormat("en-GB").format(words);
}
