/** Keeps the end in sight while a list grows, until its reader scrolls up to read. */

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Nearer than this is at the end: a finger is no ruler. */
const NEAR = 32;

interface Parts {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly length: number;
  /** How much of their own a reader has on its way: who sends wants to see it. */
  readonly sending: number;
}

export function useStick({ scroller, length, sending }: Parts) {
  const [isStuck, setStuck] = useState(true);
  /** How many rows there were when the reader left the end. */
  const [leftAt, setLeftAt] = useState(length);
  const last = useRef({ isStuck: true, offset: 0, most: 0, sending });
  const readUntil = useRef(0);

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
  const toEnd = () => {
    stick(true);
    pin();
  };
  useLayoutEffect(() => {
    const isMore = sending > last.current.sending;
    last.current.sending = sending;
    if (isMore) toEnd();
    else pin();
  });
  // Sizes are known only after the first layout.
  useEffect(() => {
    const frame = requestAnimationFrame(pin);
    return () => cancelAnimationFrame(frame);
  });
  // What stands below it comes and goes: the end must not go with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads what is current.
  useEffect(() => {
    const { current: box } = scroller;
    if (box === null) return;
    const observer = new ResizeObserver(pin);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const { current: box } = scroller;
    if (box === null) return;
    const read = () => {
      readUntil.current = performance.now() + HAND_MS;
    };
    for (const gesture of gestures) box.addEventListener(gesture, read, { passive: true });
    return () => {
      for (const gesture of gestures) box.removeEventListener(gesture, read);
    };
  }, [scroller]);
  // Whoever opens something wants to read it: it stays where it is, and grows downwards.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads what is current.
  useEffect(() => {
    const { current: box } = scroller;
    if (box === null) return;
    const open = ({ target }: Event) => {
      if (target instanceof Element && target.closest(OPENS) !== null) stick(false);
    };
    box.addEventListener("click", open, { capture: true });
    return () => box.removeEventListener("click", open, { capture: true });
  }, [scroller]);

  return {
    isStuck,
    /** Something that was opened may be short enough to leave the end in sight. */
    settle() {
      pin();
      requestAnimationFrame(() => {
        const { current: box } = scroller;
        if (box === null || box.clientHeight === 0) return;
        if (box.scrollHeight - box.clientHeight - box.scrollTop <= NEAR) stick(true);
      });
    },
    fresh: isStuck ? 0 : Math.max(0, length - leftAt),
    pin,
    onScroll() {
      const { current: box } = scroller;
      if (box === null) return;
      const most = box.scrollHeight - box.clientHeight;
      const offset = box.scrollTop;
      const isByHand = performance.now() < readUntil.current;
      stick(sticks(last.current, { offset, most, isByHand }));
      Object.assign(last.current, { offset, most });
    },
    leave: () => stick(false),
    toEnd,
  };
}

/** What grows when it is pressed. */
const OPENS = "[aria-expanded], [data-opens]";
/** What a hand does to scroll; a scrollbar that is dragged tells only of the first touch. */
const gestures = ["wheel", "touchmove", "pointerdown", "keydown"];
/** For so long after it a scroll is the hand's own. */
const HAND_MS = 3000;

interface Place {
  readonly offset: number;
  /** As far as it can be scrolled. */
  readonly most: number;
}

/**
 * Growth moves the end away without anyone having scrolled; where there is less to scroll a browser goes
 * up by itself, and so does a list whose rows turn out smaller than was thought. Only a hand leaves it.
 */
export function sticks(
  before: Place & { readonly isStuck: boolean },
  now: Place & { readonly isByHand: boolean },
): boolean {
  if (now.most - now.offset <= NEAR) return true;
  const isGoingUp = now.offset < before.offset && now.most >= before.most;
  return before.isStuck && !(now.isByHand && isGoingUp);
}
