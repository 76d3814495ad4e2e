import type { OutboxItem } from "@holdfast/client";

/** `unsure`: the item was sent, and the host has not yet said whether it arrived. */
export type Keeping = OutboxItem["state"] | "unsure";

export function keepingOf({
  state,
  mayHaveArrived,
}: Pick<OutboxItem, "state" | "mayHaveArrived">): Keeping {
  return state === "waiting" && mayHaveArrived === true ? "unsure" : state;
}

export const keptWords: Readonly<Record<Exclude<Keeping, "refused">, string>> = {
  waiting: "Saved on this device. Sends when you're back online.",
  unsure: "It may have arrived. Holdfast checks when the host is reachable.",
  sending: "Sending …",
  accepted: "Sent",
};

/** The state of an answer, to follow the answer's own words. */
export const givenWords: Readonly<Record<Exclude<Keeping, "refused">, string>> = {
  waiting: "will be sent when the host is reachable",
  unsure: "may have arrived; Holdfast checks when the host is reachable",
  sending: "is being sent …",
  accepted: "was sent",
};

/** Only an unsent item can be taken back; any other only leaves this device. */
export const letGoWords: Readonly<Partial<Record<Keeping, string>>> = {
  waiting: "Remove",
  unsure: "Forget",
  refused: "Dismiss",
};
