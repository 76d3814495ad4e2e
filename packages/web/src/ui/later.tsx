/** A lazily loaded component with a placeholder while its code is missing. */

import { type ComponentType, useCallback, useEffect, useState } from "react";
import { reloadForCode, thisPage } from "../fresh-page.ts";

interface Loaded<P> {
  readonly default: ComponentType<P>;
}

/** Passed to the placeholder after a failed load. */
export interface Late {
  /** Retries at once; retries also happen automatically. */
  readonly onRetry: () => void;
}

interface LaterOptions<P> {
  readonly load: () => Promise<Loaded<P>>;
  /** The placeholder until the code is loaded. `late` is set after the first failure. */
  readonly Meanwhile: ComponentType<P & { readonly late?: Late }>;
  /** The name under which a reload for this code is counted. */
  readonly name: string;
}

const FIRST_RETRY = 1000;
const LONGEST_RETRY = 15_000;

/**
 * Unlike React's `lazy` it never throws, because code cannot be loaded while the host is offline.
 * It retries by itself, and when the host answers but the code still fails, it reloads the page
 * once.
 */
export function later<P extends object>({
  load,
  Meanwhile,
  name,
}: LaterOptions<P>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Later(props: P) {
    const [, redraw] = useState(0);
    const [failures, setFailures] = useState(0);
    const attempt = useCallback(async () => {
      try {
        loaded ??= (await load()).default;
        redraw((n) => n + 1);
      } catch {
        setFailures((n) => n + 1);
      }
    }, []);
    useEffect(() => {
      if (loaded !== null) return;
      if (failures === 0) {
        void attempt();
        return;
      }
      const retry = () => {
        // Some browsers remember a failed import until the page is reloaded.
        if (failures < 2) void attempt();
        else
          void reloadForCode(thisPage(), name).then((isGone) => (isGone ? undefined : attempt()));
      };
      const timer = setTimeout(retry, Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (failures - 1)));
      addEventListener("online", retry);
      return () => {
        clearTimeout(timer);
        removeEventListener("online", retry);
      };
    }, [failures, attempt]);
    if (loaded !== null) {
      const Shown = loaded;
      return <Shown {...props} />;
    }
    const late = failures === 0 ? {} : { late: { onRetry: () => void attempt() } };
    return <Meanwhile {...props} {...late} />;
  };
}
