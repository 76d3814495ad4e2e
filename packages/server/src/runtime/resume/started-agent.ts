/** The result of a launch: the rung that it reached, and what the agent then remembers. */

import type { CommandInput, Grade, Rung } from "@holdfast/protocol";
import type { Refusal } from "./load.ts";
import type { Verdict } from "./verify.ts";

/** A rung that a launch can use. */
export type LaunchRung = Extract<Rung, "native" | "injected" | "fresh">;

export interface StartedAgent {
  readonly agentSessionId: string;
  readonly rung: LaunchRung;
  readonly grade: Grade | null;
  readonly contextFrom: number | null;
  readonly cutOffRun: string | null;
  /** The comparison of the replay with the journal; null without a load. */
  readonly verdict: Verdict | null;
  readonly recovered: CommandInput<"recover"> | null;
  readonly refused: Refusal | null;
}
