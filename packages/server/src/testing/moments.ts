/** Moments for rules: time, epoch, boot and ids that move only when told to, and come out the same each time. */

import { type IdKind, makeId } from "@holdfast/protocol";
import { defaultPolicy, type Policy } from "../policy.ts";
import type { Moment } from "../session/rules/rule.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";

export interface Moments {
  readonly clock: ManualClock;
  /** This instant, in this life of the host. */
  at(): Moment;
  /** A new life: the next epoch, a new boot, a clock that starts from the wall, a fresh grace time. */
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
  // What steady time is ahead of the manual clock's: a boot takes the wall's word once.
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
