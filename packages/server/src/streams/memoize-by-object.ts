/**
 * Caches the result of `make` per object. Followers at the same seq share one object
 * (`session/follow.ts`), so its message is built once for all of them, and freed with the object.
 * The further arguments must be the same for the same object.
 */
export function memoizeByObject<K extends object, A extends readonly unknown[], T>(
  make: (from: K, ...also: A) => T,
): (from: K, ...also: A) => T {
  const made = new WeakMap<K, { readonly value: T }>();
  return (from, ...also) => {
    const known = made.get(from);
    if (known !== undefined) return known.value;
    const value = make(from, ...also);
    made.set(from, { value });
    return value;
  };
}
