/** Single keys that do something, wherever nothing is being typed. */

import { useEffect, useRef } from "react";

export type Keys = Readonly<Record<string, () => void>>;

/** Keys that follow each other faster than this are words, and nobody's answer. */
const WORDS_MS = 1000;

interface KeysOptions {
  /**
   * Only a key after a silence counts: whoever was writing when the field under their hands gave way
   * to a question must not answer it with the rest of the sentence.
   */
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

/** Letters go where the focus is. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest("input:not([type=radio], [type=checkbox]), textarea, select") !== null;
}
