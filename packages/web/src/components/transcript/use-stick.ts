/** Keeps the end of a growing list in view until the reader scrolls up. */

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** The distance in pixels from the end that still counts as the end. */
const NEAR = 32;

interface Parts {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly length: number;
  /** The number of messages in the outbox. A new one scrolls to the end. */
  readonly sending: number;
}

export function useStick({ scroller, length, sending }: Parts) {
  const [isStuck, setStuck] = useState(true);
  /** The number of rows when the reader left the end. */
  const [leftAt, setLeftAt] = useState(length);
  const last = useRef({ isStuck: true, offset: 0, most: 0, sending, length });
  const readUntil = useRef(0);

  const pin = () => {
    const { current: box } = scroller;
    if (last.current.isStuck && box !== null) box.scrollTop = box.scrollHeight;
  };
  const stick = (now: boolean) => {
    if (now === last.current.isStuck) return;
    last.current.isStuck = now;
    setStuck(now);
    setLeftAt(last.current.length);
  };
  const toEnd = () => {
    stick(true);
    pin();
  };
  useLayoutEffect(() => {
    const isMore = sending > last.current.sending;
    last.current.sending = sending;
    last.current.length = length;
    if (isMore) toEnd();
    else pin();
  });
  // Pins again after layout, because row heights are known only then.
  useEffect(() => {
    const frame = requestAnimationFrame(pin);
    return () => cancelAnimationFrame(frame);
  });
  // Keeps the end in view when the box is resized by the controls below it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `pin` reads only refs.
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
  // Stops sticking when the reader expands something, so that it grows downwards in place.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `stick` reads only refs.
  useEffect(() => {
    const { current: box } = scroller;
    if (box === null) return;
    const open = ({ target }: Event) => {
      const button = target instanceof Element ? target.closest(OPENS) : null;
      if (button === null) return;
      stick(false);
      // The row has its new height only after the next frame.
      requestAnimationFrame(() => requestAnimationFrame(() => showOpened(box, button)));
    };
    box.addEventListener("click", open, { capture: true });
    return () => box.removeEventListener("click", open, { capture: true });
  }, [scroller]);

  return {
    isStuck,
    /** Sticks again when the expanded content is short enough that the end is still in view. */
    settle() {
      pin();
      requestAnimationFrame(() => {
        const { current: box } = scroller;
        if (box === null || box.clientHeight === 0) return;
        if (box.scrollHeight - box.clientHeight - box.scrollTop <= NEAR) stick(true);
      });
    },
    fresh: isStuck ? 0 : Math.max(0, length - leftAt),
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

/** The height in pixels at the end of the list that the button "Latest" covers. */
const COVERED = 64;

/** Scrolls down to the end of a row that was opened; the pressed button stays in view. */
function showOpened(box: Element, button: Element): void {
  const row = button.closest("[data-row]");
  if (row === null || button.ariaExpanded !== "true") return;
  const { top, bottom } = box.getBoundingClientRect();
  const hidden = row.getBoundingClientRect().bottom + COVERED - bottom;
  const above = button.getBoundingClientRect().top - top;
  box.scrollTop += Math.max(0, Math.min(hidden, above));
}

const OPENS = "[aria-expanded], [data-opens]";
/** The input events that scroll. A dragged scrollbar sends only the first `pointerdown`. */
const gestures = ["wheel", "touchmove", "pointerdown", "keydown"];
/** A scroll within this time in ms after such an event counts as the reader's. */
const HAND_MS = 3000;

interface Place {
  readonly offset: number;
  readonly most: number;
}

/**
 * True when the list should stay at its end. Growing content moves the end away, and shrinking
 * content or smaller rows move the offset up, all without user input: only a scroll up by the
 * reader leaves the end.
 */
export function sticks(
  before: Place & { readonly isStuck: boolean },
  now: Place & { readonly isByHand: boolean },
): boolean {
  if (now.most - now.offset <= NEAR) return true;
  const isGoingUp = now.offset < before.offset && now.most >= before.most;
  return before.isStuck && !(now.isByHand && isGoingUp);
}
