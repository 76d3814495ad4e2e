/** Durations and ages in words. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${Number((ms / 1000).toFixed(1))} s`;
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** The age of a time; a time slightly ahead, from a differing clock, counts as now. */
export function age(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (Number.isNaN(ms)) return "?";
  return ms < 1000 ? "now" : duration(ms - (ms % 1000));
}

export function ago(at: string, now: number): string {
  const how = age(at, now);
  return how === "now" ? "just now" : `${how} ago`;
}
