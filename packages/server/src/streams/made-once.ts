/**
 * Followers that stand at one place hold the same object (`session/follow.ts`): what is made from it
 * is made for the first of them, shared by all, and forgotten with it. `also` must be the same for the same object.
 */
export function madeOnce<K extends object, A extends readonly unknown[], T>(
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
