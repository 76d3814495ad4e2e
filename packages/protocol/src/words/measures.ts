/** Numbers and sizes in words. */

export function count(n: number, one: string, many = `${one}s`): string {
  return `${figure(n)} ${n === 1 ? one : many}`;
}

/** A number with thousands separators. */
export function figure(n: number): string {
  return n < 1000 ? String(n) : n.toLocaleString("en");
}

export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, n)) / 3));
  const size = n / 1000 ** step;
  return `${step === 0 || size >= 10 ? Math.round(size) : size.toFixed(1)} ${units[step]}`;
}
