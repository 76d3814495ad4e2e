/** The choices for a new session, and the policy that each stands for. */

import type { RouteBody } from "@holdfast/protocol";

type Policy = NonNullable<RouteBody<"createSession">["policy"]>;

interface Choice {
  readonly words: string;
  readonly policy: Policy;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The first choice of each list is the host's default. */
export const unwatched = {
  on: { words: "Keeps working, however long", policy: {} },
  pause: {
    words: "Pauses after 30 min until you look",
    policy: { unwatchedLimit: 30 * MINUTE },
  },
  stop: {
    words: "Stops after 30 min",
    policy: { unwatchedLimit: 30 * MINUTE, unwatchedCancel: 1 },
  },
} as const satisfies Record<string, Choice>;

export const idle = {
  soon: { words: "Pauses after 5 min until you write", policy: {} },
  hour: { words: "Keeps running for an hour", policy: { idlePause: HOUR } },
  day: { words: "Keeps running for a day", policy: { idlePause: 24 * HOUR } },
} as const satisfies Record<string, Choice>;

export interface PolicyChoice {
  readonly unwatched: keyof typeof unwatched;
  readonly idle: keyof typeof idle;
}

export const usualPolicy: PolicyChoice = { unwatched: "on", idle: "soon" };

/** Only the differences from the host's defaults, since those may change with the host. */
export function policyOf(choice: PolicyChoice): Policy {
  return { ...unwatched[choice.unwatched].policy, ...idle[choice.idle].policy };
}
