/** The opaque list cursor: the sort key of the last row, so that paging never skips or repeats. */

import type { NeedKind } from "@holdfast/protocol";
import { HostError } from "@holdfast/protocol/errors";
import { isId } from "@holdfast/protocol/ids";
import type { Standing } from "./journal.ts";

export interface ListPlace {
  readonly rank: number;
  readonly updatedAt: number;
  readonly id: string;
}

/** Sort rank of each need: questions come before interrupted work, which comes before failed runs. */
const ranks: Readonly<Record<NeedKind, number>> = { waiting: 3, interrupted: 2, failed: 1 };
const byRank = new Map(Object.entries(ranks).map(([need, rank]) => [rank, need as NeedKind]));

export function rankOf(need: NeedKind | null): number {
  return need === null ? 0 : ranks[need];
}

export function needOfRank(rank: number): NeedKind | null {
  return byRank.get(rank) ?? null;
}

export function placeOf({ session, head }: Standing): ListPlace {
  return { rank: rankOf(head.need ?? null), updatedAt: head.updatedAt, id: session };
}

export function encodePlace({ rank, updatedAt, id }: ListPlace): string {
  return Buffer.from(`${rank} ${updatedAt} ${id}`).toString("base64url");
}

export function decodePlace(cursor: string): ListPlace {
  const parts = Buffer.from(cursor, "base64url").toString().split(" ");
  // Cursors of older versions have no rank; they continue among the sessions with rank 0.
  const [rank = "", updatedAt = "", id = "", ...rest] =
    parts.length === 2 ? ["0", ...parts] : parts;
  const isRank = rank === "0" || byRank.has(Number(rank));
  if (isRank && isTime(updatedAt) && isId("session", id) && rest.length === 0) {
    return { rank: Number(rank), updatedAt: Number(updatedAt), id };
  }
  throw new HostError("bad_input", "This list cursor is not valid. Start from the first page.");
}

function isTime(text: string): boolean {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text));
}
