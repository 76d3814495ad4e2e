/** Single-key shortcuts, active while the focus is outside text fields. */

import { useEffect, useRef } from "react";

export type Keys = Readonly<Record<string, () => void>>;

/** For deliberate keys: a key within this time in ms of the previous one counts as typing. */
const WORDS_MS = 1000;

interface KeysOptions {
  /** Only a key after a pause counts: typed text must not answer a question by accident. */
  readonly isDeliberate?: boolean;
}

export function useKeys(keys: Keys, { isDeliberate = false }: KeysOptions = {}): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let lastAt = performance.now();
    const onKey = (event: KeyboardEvent) => {
      const silence = performance.now() - lastAt;
      lastAt = performance.now();
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const does = ofKey(latest.current, event.key);
      if (does === undefined || (isDeliberate && silence < WORDS_MS)) return;
      event.preventDefault();
      does();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isDeliberate]);
}

function ofKey(keys: Keys, key: string): (() => void) | undefined {
  const name = key.toLowerCase();
  return Object.hasOwn(keys, name) ? keys[name] : undefined;
}

/** True when typed letters go into this element. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest("input:not([type=radio], [type=checkbox]), textarea, select") !== null;
}
