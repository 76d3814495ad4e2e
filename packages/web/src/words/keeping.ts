/** What its person did and the host has not confirmed: how it stands, in words. */

import type { OutboxItem } from "@holdfast/client";

/** `unsure`: it was sent, and what became of it is not known until the host is asked again. */
export type Keeping = "waiting" | "unsure" | "sending" | "refused";

export function keepingOf({
  state,
  mayHaveArrived,
}: Pick<OutboxItem, "state" | "mayHaveArrived">): Keeping {
  return state === "waiting" && mayHaveArrived === true ? "unsure" : state;
}

export const keptWords: Readonly<Record<Exclude<Keeping, "refused">, string>> = {
  waiting: "Saved on this device. Sends when you're back online.",
  unsure: "It may have arrived; the host is asked again when it can be reached.",
  sending: "Sending …",
};

/** The same of an answer, behind what was answered. */
export const givenWords: Readonly<Record<Exclude<Keeping, "refused"> | "sent", string>> = {
  waiting: "will be sent when the host can be reached",
  unsure: "may have arrived; the host is asked again when it can be reached",
  sending: "is being sent …",
  sent: "was sent",
};

/** Only what never left can be taken back; of the rest this device can but forget. */
export const letGoWords: Readonly<Partial<Record<Keeping | "sent", string>>> = {
  waiting: "Take back",
  unsure: "Forget",
  refused: "Dismiss",
};
