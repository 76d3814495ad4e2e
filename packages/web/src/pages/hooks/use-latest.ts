import { useLayoutEffect, useRef, useState } from "react";

type Functions = Readonly<Record<string, (...given: never[]) => unknown>>;

/** Functions that stay the same objects and call those of the latest render: parts that use them are not drawn again. */
export function useLatest<T extends object>(functions: T): T {
  const latest = useRef(functions);
  useLayoutEffect(() => {
    latest.current = functions;
  });
  const [stable] = useState(() => {
    const call =
      (name: string) =>
      (...given: never[]) =>
        (latest.current as Functions)[name]?.(...given);
    return Object.fromEntries(Object.keys(functions).map((name) => [name, call(name)])) as T;
  });
  return stable;
}
