/** A person's actions in a session. One context brings them to every part of its screen. */

import type { ApprovalDecision } from "@holdfast/protocol";
import { createContext, use } from "react";

export interface SessionActions {
  readonly goToList: () => void;
  readonly openPhone: () => void;
  readonly toggleSide: () => void;
  readonly openNew: () => void;
  readonly loadEarlier: () => void;
  /** Fetches content that is too long for an event. */
  readonly readBlob: (hash: string) => Promise<Uint8Array>;
  readonly setDraft: (draft: string) => void;
  /** Puts a text into the message box, before the text that is there. */
  readonly addToDraft: (text: string) => void;
  /** Sends the draft; `interrupt` stops the run first. */
  readonly send: (whenBusy: "queue" | "interrupt") => void;
  readonly stop: () => void;
  readonly decide: Decide;
  /** Remembers the reason that is being typed, for when somebody else answers first. */
  readonly keepReason: (reason: string) => void;
  readonly dismissAnswered: () => void;
  readonly dismissProblem: () => void;
  readonly resume: () => void;
  readonly continueRun: () => void;
  readonly retryRun: (from: "start" | "error") => void;
  readonly dismissRun: () => void;
  readonly editQueued: (id: string, content: string) => void;
  readonly removeQueued: (id: string) => void;
  readonly releaseQueue: () => void;
  readonly retryItem: (n: number) => void;
  /** Moves a refused message of the outbox back into the message box. */
  readonly editItem: (n: number, text: string) => void;
  readonly dismissItem: (n: number) => void;
}

export type Decide = (decision: ApprovalDecision, reason?: string, option?: string) => void;

/** Null outside of a session's screen. */
export const SessionActionsContext = createContext<SessionActions | null>(null);

export function useSessionActions(): SessionActions {
  const actions = use(SessionActionsContext);
  if (actions === null) throw new Error("Put a <SessionActionsContext> around this.");
  return actions;
}

/** The text of a blob; null where it cannot be fetched. */
export function useWholeText(): ((hash: string) => Promise<string>) | null {
  const actions = use(SessionActionsContext);
  if (actions === null) return null;
  return async (hash) => new TextDecoder().decode(await actions.readBlob(hash));
}
