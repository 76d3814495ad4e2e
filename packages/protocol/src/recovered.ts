/**
 * What an agent's own session held and the journal had not heard: parts of an answer like any other,
 * but marked, because nobody saw them happen.
 */

import { z } from "zod";
import { json } from "./json.ts";

/** Characters of one part; longer words are several. */
export const RECOVERED_TEXT = 16_384;
/** Parts of one recovery. */
export const RECOVERED_PARTS = 1000;

const words = z.string().min(1).max(RECOVERED_TEXT);

export const recoveredPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: words }),
  /** Said to the agent by someone who did not say it here. */
  z.object({ type: z.literal("user"), text: words }),
  z.object({
    type: z.literal("tool"),
    toolCallId: z.string().min(1).max(500),
    name: z.string().min(1).max(200),
    input: json,
    /** As the agent tells it; a call that it tells no end of is unknown. */
    status: z.enum(["completed", "failed", "unknown"]),
    output: z.string().max(RECOVERED_TEXT),
  }),
]);

export type RecoveredPart = z.infer<typeof recoveredPart>;
