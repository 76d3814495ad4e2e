/** A component whose code comes when it is first shown; while it cannot be had, another stands in. */

import { type ComponentType, useEffect, useState } from "react";

interface Loaded<P> {
  readonly default: ComponentType<P>;
}

/**
 * Unlike `lazy` it never throws: with the host away, code cannot be had any more than data, and that
 * is no reason for a page to fall over. It tries again when the device is back in a network.
 */
export function later<P extends object>(
  load: () => Promise<Loaded<P>>,
  Meanwhile: ComponentType<P>,
): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Later(props: P) {
    const [, redraw] = useState(0);
    useEffect(() => {
      if (loaded !== null) return;
      let isWanted = true;
      const attempt = () => {
        load().then(
          (module) => {
            loaded = module.default;
            if (isWanted) redraw((n) => n + 1);
          },
          () => undefined,
        );
      };
      attempt();
      addEventListener("online", attempt);
      return () => {
        isWanted = false;
        removeEventListener("online", attempt);
      };
    }, []);
    const Shown = loaded ?? Meanwhile;
    return <Shown {...props} />;
  };
}

export const Nothing = () => null;
