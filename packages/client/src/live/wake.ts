/**
 * Decides when to check the connection: a page that slept, was offline or frozen often gets no
 * notice. Some platforms send an event; a process that was merely stopped only sees its clock jump.
 */

import type { Clock } from "../timers.ts";

/** The event sources of a page; both are absent in Node. */
export interface Page {
  readonly window?: EventTarget | undefined;
  readonly document?: (EventTarget & { readonly visibilityState?: string }) | undefined;
}

/** Interval of clock checks, and the delay above it that counts as a jump rather than a busy page. */
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

/** The device reports a lost network long before a connection does. */
export function watchOffline({ window }: Page, lost: () => void): () => void {
  return listen(window, ["offline"], lost);
}

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
