import { describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { manualClock } from "./manual-clock.ts";
import { moments } from "./moments.ts";

describe("a manual clock", () => {
  it("stands still until it is told to move", () => {
    const clock = manualClock(1000);
    expect([clock.now(), clock.steady()]).toEqual([1000, 1000]);
    clock.advance(5);
    expect([clock.now(), clock.steady()]).toEqual([1005, 1005]);
  });

  it("calls due timers in order, each at its own time", () => {
    const clock = manualClock(0);
    const calls: [string, number][] = [];
    clock.after(20, () => calls.push(["b", clock.now()]));
    clock.after(10, () => {
      calls.push(["a", clock.now()]);
      clock.after(5, () => calls.push(["c", clock.now()]));
    });
    clock.after(30, () => calls.push(["late", clock.now()]));
    clock.advance(25);
    expect(calls).toEqual([
      ["a", 10],
      ["c", 15],
      ["b", 20],
    ]);
    expect(clock.now()).toBe(25);
  });

  it("does not call a cancelled timer", () => {
    const clock = manualClock();
    let called = false;
    clock.after(10, () => {
      called = true;
    })();
    clock.advance(20);
    expect(called).toBe(false);
  });

  it("steps the wall alone: no timer fires by it, and none is delayed", () => {
    const clock = manualClock(0);
    let fired = 0;
    clock.after(10, () => {
      fired = clock.steady();
    });
    clock.step(86_400_000);
    expect([clock.now(), clock.steady(), fired]).toEqual([86_400_000, 0, 0]);
    clock.step(-2 * 86_400_000);
    clock.advance(10);
    expect(fired).toBe(10);
  });
});

describe("the system's clock", () => {
  it("starts with both times equal, and its steady one only goes forwards", () => {
    const clock = systemClock();
    expect(Math.abs(clock.now() - clock.steady())).toBeLessThan(50);
    const first = clock.steady();
    expect(clock.steady()).toBeGreaterThanOrEqual(first);
  });
});

describe("moments", () => {
  it("come out the same each time, with ids that differ", () => {
    const [one, other] = [moments(), moments()];
    const ids = [one.at().newId("run"), one.at().newId("run")];
    expect(new Set(ids).size).toBe(2);
    expect([other.at().newId("run"), other.at().newId("run")]).toEqual(ids);
  });

  it("of a new boot have the next epoch, another boot id, the wall clock's time and a grace time", () => {
    const time = moments();
    const before = time.at();
    time.clock.step(3_600_000);
    time.reboot();
    const after = time.at();
    expect(after.epoch).toBe(before.epoch + 1);
    expect(after.bootId).not.toBe(before.bootId);
    expect(after.steady).toBe(after.now);
    expect(after.graceUntil).toBe(after.now + after.policy.deadlineGrace);
  });
});
