/**
 * When to look whether the host is still there: a page that slept, was cut off or frozen often hears
 * nothing of it. Some say so by an event; a process that was merely stopped only sees its clock jump.
 */

import type { Clock } from "../timers.ts";

/** Where the events of a page come from; neither is there in Node. */
export interface Page {
  readonly window?: EventTarget | undefined;
  readonly document?: (EventTarget & { readonly visibilityState?: string }) | undefined;
}

/** How often the clock is looked at, and how much later than that is a jump and not a busy page. */
const TICK = 5_000;
const JUMP = 10_000;

export function watchWake(clock: Clock, page: Page, wake: () => void): () => void {
  const stops = [
    listen(page.window, ["online", "pageshow"], wake),
    listen(page.document, ["resume"], wake),
    listen(page.document, ["visibilitychange"], () => {
      if (page.document?.visibilityState !== "hidden") wake();
    }),
    watchClock(clock, wake),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** A device that knows its network to be gone says so long before any connection does. */
export function watchOffline({ window }: Page, lost: () => void): () => void {
  return listen(window, ["offline"], lost);
}

/** The page this runs in, if it is one. */
export function thisPage(): Page {
  const { window, document } = globalThis as { window?: EventTarget; document?: Page["document"] };
  return { window, document };
}

function listen(target: EventTarget | undefined, names: readonly string[], call: () => void) {
  for (const name of names) target?.addEventListener(name, call);
  return () => {
    for (const name of names) target?.removeEventListener(name, call);
  };
}

function watchClock(clock: Clock, jumped: () => void): () => void {
  let last = clock.now();
  let cancel = () => {};
  const tick = () => {
    cancel = clock.after(TICK, () => {
      const now = clock.now();
      const gap = now - last;
      last = now;
      tick();
      if (gap > TICK + JUMP) jumped();
    });
  };
  tick();
  return () => cancel();
}
