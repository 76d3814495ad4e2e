/** The outcome of a break: finds the recovery that belongs to it. */

import type { Receipt } from "@holdfast/protocol";
import { duration, spliceWords } from "@holdfast/protocol";
import type { Break, Broken } from "../../components/side-pane/break-it.tsx";

export interface BreakMade {
  readonly what: Break;
  /** The last seq before the break; the break's receipt comes after it. */
  readonly afterSeq: number;
  /** The first seq that belongs to the next break; null for the latest. */
  readonly beforeSeq: number | null;
  readonly backAfterMs: number | null;
  readonly problem: string | null;
}

/** `isAsking` is true while a question is open: the page then offers its answers and no Resume. */
export function brokenOf(made: BreakMade, receipts: readonly Receipt[], isAsking = false): Broken {
  const { what, afterSeq, beforeSeq, backAfterMs, problem } = made;
  if (problem !== null) return { what, is: "refused", words: problem };
  // A cut network or a frozen tab affects only this page, so it has no receipt.
  const isOurs = what === "network" || what === "tab";
  const receipt = isOurs
    ? undefined
    : receipts.find(({ seq }) => seq > afterSeq && (beforeSeq === null || seq <= beforeSeq));
  if (receipt !== undefined) return { what, is: "back", words: spliceWords(receipt) };
  if (backAfterMs !== null) {
    return { what, is: "back", words: `back after ${duration(backAfterMs)}` };
  }
  const isAgent = what === "holder" || what === "agent";
  return {
    what,
    is: "away",
    words: isAgent && isAsking ? "waiting for your answer" : waiting[what],
  };
}

const waiting: Readonly<Record<Break, string>> = {
  host: "waiting for the host to restart",
  holder: "waiting for Resume or a message",
  agent: "waiting for Resume or a message",
  network: "cut off …",
  tab: "frozen …",
};
