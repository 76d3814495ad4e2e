/** The opaque place in a list: the last row's sort key, so that paging never skips or repeats. */

import { HostError } from "@holdfast/protocol/errors";

export interface ListPlace {
  readonly updatedAt: number;
  readonly id: string;
}

export function encodePlace({ updatedAt, id }: ListPlace): string {
  return Buffer.from(`${updatedAt} ${id}`).toString("base64url");
}

export function decodePlace(cursor: string): ListPlace {
  const [updatedAt, id] = Buffer.from(cursor, "base64url").toString().split(" ");
  if (id === undefined || !Number.isSafeInteger(Number(updatedAt))) {
    throw new HostError(
      "bad_input",
      "This list cursor is not one of ours. Start from the first page.",
    );
  }
  return { updatedAt: Number(updatedAt), id };
}
