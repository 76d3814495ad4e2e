import { count } from "@holdfast/protocol";

/** `isGoing`: a run is in progress, after which they are sent in turn. */
export function queueWords(n: number, isGoing: boolean): string {
  const wait = `${count(n, "message")} ${n === 1 ? "waits" : "wait"}`;
  if (isGoing) return `${wait} for the run to end`;
  return `${wait} until you send ${n === 1 ? "it" : "them"} or the next run ends. A new message goes first.`;
}

const whyLeftWords = {
  sent: "The message was sent without your change.",
  never_sent: "The session ended before the message was sent.",
  taken_back: "The message was taken back before you saved your change.",
  unknown: "The message is no longer in the queue: it was sent or taken back.",
} as const;

export type WhyLeft = keyof typeof whyLeftWords;

export function lateEditWords(whyLeft: WhyLeft, isInBox: boolean): string {
  return `${whyLeftWords[whyLeft]} Your change is ${isInBox ? "now in the message box" : "kept here"}.`;
}
