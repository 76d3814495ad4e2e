/** One way to speak with a model: how its requests are read, and how its replies are written. */

import type { Asked } from "./conversation.ts";
import type { Failed, Said } from "./script.ts";

/** One server-sent event. */
export interface Frame {
  readonly event?: string;
  /** A string is sent as it is. */
  readonly data: unknown;
  /** It carries a piece of text: a slow reply pauses before it, a hanging one stops after the last. */
  readonly isPiece?: true;
}

export interface Wire {
  readonly name: string;
  matches(path: string): boolean;
  read(body: unknown): Asked;
  frames(said: Said, newId: () => string): Frame[];
  failure(failed: Failed): { readonly status: number; readonly body: unknown };
}

/** As a model gives it out; each keeps the space behind its word. */
export const piecesOf = (text: string): string[] => text.split(/(?<= )/);

/** Agents show them, some count with them, and none may do without. */
export const tokens = { input: 100, output: 10 } as const;

/** Arguments travel as JSON within JSON, and what a killed agent kept of them may be cut. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
