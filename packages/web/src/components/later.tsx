/** A component whose code comes when it is first shown; while it cannot be had, another stands in. */

import { type ComponentType, useCallback, useEffect, useState } from "react";
import { reloadForCode, thisPage } from "../fresh-page.ts";

interface Loaded<P> {
  readonly default: ComponentType<P>;
}

/** Given to a stand-in when the code could not be loaded. */
export interface Late {
  /** Tries at once; it is tried again without that, too. */
  readonly onRetry: () => void;
}

export interface LaterOptions<P> {
  readonly load: () => Promise<Loaded<P>>;
  /** Until the code is there. `late` is there after a first failure. */
  readonly Meanwhile: ComponentType<P & { readonly late?: Late }>;
  /** What it is called where a reload is counted. */
  readonly name: string;
}

const FIRST_RETRY = 1000;
const LONGEST_RETRY = 15_000;

/**
 * Unlike `lazy` it never throws: with the host away, code cannot be had any more than data. It tries
 * again by itself, and when the host answers but its code does not load, it reloads the page once.
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
        // Some browsers keep a failed import for the life of the page.
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
