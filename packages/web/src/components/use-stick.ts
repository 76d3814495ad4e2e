/** Keeps the end in sight while a list grows, until its reader scrolls up to read. */

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";

/** Nearer than this is at the end: a finger is no ruler. */
const NEAR = 32;

interface Parts {
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly scroller: RefObject<HTMLElement | null>;
}

export function useStick({ list, scroller }: Parts, length: number) {
  const [isStuck, setStuck] = useState(true);
  /** How many rows there were when the reader left the end. */
  const [leftAt, setLeftAt] = useState(length);
  const last = useRef({ isStuck: true, offset: 0 });

  const pin = () => {
    const { current: box } = scroller;
    if (last.current.isStuck && box !== null) box.scrollTop = box.scrollHeight;
  };
  const stick = (now: boolean) => {
    if (now === last.current.isStuck) return;
    last.current.isStuck = now;
    setStuck(now);
    setLeftAt(length);
  };
  useLayoutEffect(pin);
  // Sizes are known only after the first layout.
  useEffect(() => {
    const frame = requestAnimationFrame(pin);
    return () => cancelAnimationFrame(frame);
  });

  return {
    isStuck,
    fresh: isStuck ? 0 : Math.max(0, length - leftAt),
    pin,
    onScroll(offset: number) {
      const handle = list.current;
      if (handle === null) return;
      const left = handle.scrollSize - offset - handle.viewportSize;
      // Growth moves the end away without anyone having scrolled: only going up leaves it.
      if (left <= NEAR) stick(true);
      else if (offset < last.current.offset) stick(false);
      last.current.offset = offset;
    },
    leave: () => stick(false),
    toEnd() {
      stick(true);
      pin();
    },
  };
}
