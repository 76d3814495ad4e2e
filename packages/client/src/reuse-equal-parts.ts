/** `next`, with equal parts taken from `last`: unchanged parts are not drawn again. */
export function reuseEqualParts<T>(last: T | undefined, next: T): T {
  if (Object.is(last, next) || !isPlain(last) || !isPlain(next)) return next;
  if (Array.isArray(last) !== Array.isArray(next)) return next;
  const before = last as Readonly<Record<string, unknown>>;
  const entries = Object.entries(next as Readonly<Record<string, unknown>>);
  let same = entries.length === Object.keys(before).length;
  const merged = entries.map(([key, value]): [string, unknown] => {
    const kept = Object.hasOwn(before, key) ? reuseEqualParts(before[key], value) : value;
    same &&= Object.hasOwn(before, key) && Object.is(kept, before[key]);
    return [key, kept];
  });
  if (same) return last;
  return (Array.isArray(next) ? merged.map(([, value]) => value) : Object.fromEntries(merged)) as T;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
