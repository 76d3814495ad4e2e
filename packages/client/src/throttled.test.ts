import { describe, expect, test } from "vitest";
import { Cell } from "./cell.ts";
import { Throttled } from "./throttled.ts";

/** Timers that the test advances. */
function handTimers() {
  const due: { at: number; call: () => void }[] = [];
  let now = 0;
  return {
    random: () => 0,
    after(ms: number, call: () => void) {
      const timer = { at: now + ms, call };
      due.push(timer);
      return () => {
        const at = due.indexOf(timer);
        if (at >= 0) due.splice(at, 1);
      };
    },
    pass(ms: number) {
      now += ms;
      for (const timer of due.filter(({ at }) => at <= now)) {
        due.splice(due.indexOf(timer), 1);
        timer.call();
      }
    },
    get waiting() {
      return due.length;
    },
  };
}

describe("a throttled value", () => {
  test("shows the first change after a rest at once, then the latest of all that followed", () => {
    const source = new Cell(0);
    const timers = handTimers();
    const screen = new Throttled(source, timers);
    const shown: number[] = [];
    screen.subscribe(() => shown.push(screen.getSnapshot()));
    source.set(1);
    source.set(2);
    source.set(3);
    expect(shown).toEqual([1]);
    timers.pass(100);
    expect(shown).toEqual([1, 3]);
    timers.pass(100);
    source.set(4);
    expect(shown).toEqual([1, 3, 4]);
  });

  test("has no timer while nothing changes, and unsubscribes from its source without watchers", () => {
    const source = new Cell(0);
    const timers = handTimers();
    const screen = new Throttled(source, timers);
    const leave = screen.subscribe(() => undefined);
    source.set(1);
    timers.pass(100);
    expect(timers.waiting).toBe(0);
    source.set(2);
    leave();
    expect([timers.waiting, source.isWatched]).toEqual([0, false]);
    source.set(3);
    expect(screen.getSnapshot()).toBe(3);
  });

  test("is up to date for a later watcher", () => {
    const source = new Cell(0);
    const screen = new Throttled(source, handTimers());
    screen.subscribe(() => undefined)();
    source.set(1);
    screen.subscribe(() => undefined);
    expect(screen.getSnapshot()).toBe(1);
  });
});
