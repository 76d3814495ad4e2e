/** Moments for rules: deterministic time, epoch, boot and ids that change only when told to. */

import { type IdKind, makeId } from "@holdfast/protocol";
import { defaultPolicy, type Policy } from "../base/policy.ts";
import type { Moment } from "../session/rules/rule.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";

export interface Moments {
  readonly clock: ManualClock;
  /** The current moment in the current boot. */
  at(): Moment;
  /**
   * Starts a new boot: the next epoch, a steady clock set from the wall clock, a new grace time.
   */
  reboot(): void;
}

export function moments(policy: Partial<Policy> = {}): Moments {
  const clock = manualClock();
  const all = { ...defaultPolicy, ...policy };
  let made = 0;
  const newId = <K extends IdKind>(kind: K) => {
    const random = new Uint8Array(10);
    new DataView(random.buffer).setUint32(6, ++made);
    return makeId(kind, clock.now(), random);
  };
  let epoch = 1;
  let bootId = newId("boot");
  // Difference between this boot's steady time and the manual clock's; set from the wall clock at
  // boot.
  let ahead = 0;
  let graceUntil = 0;
  return {
    clock,
    at: () => ({
      now: clock.now(),
      steady: clock.steady() + ahead,
      graceUntil,
      epoch,
      bootId,
      newId,
      policy: all,
    }),
    reboot() {
      epoch += 1;
      bootId = newId("boot");
      ahead = clock.now() - clock.steady();
      graceUntil = clock.now() + all.deadlineGrace;
    },
  };
}
