/** A wire format: parses requests and writes replies. */

import type { Asked } from "./conversation.ts";
import type { Failed, Said } from "./script.ts";

/** One server-sent event. */
export interface Frame {
  readonly event?: string;
  /** A string is sent unchanged, other values as JSON. */
  readonly data: unknown;
  /**
   * True for a piece of text: a slow reply pauses before it, a hanging one stops after the last.
   */
  readonly isPiece?: true;
}

export interface Wire {
  readonly name: string;
  matches(path: string): boolean;
  read(body: unknown): Asked;
  frames(said: Said, newId: () => string): Frame[];
  failure(failed: Failed): { readonly status: number; readonly body: unknown };
}

/** Splits a text into pieces as a model streams it; each keeps the space after its word. */
export const piecesOf = (text: string): string[] => text.split(/(?<= )/);

/** Token counts, which some agents require. */
export const tokens = { input: 100, output: 10 } as const;

/**
 * Parses arguments, which are JSON within JSON; those stored by a killed agent may be truncated.
 */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
