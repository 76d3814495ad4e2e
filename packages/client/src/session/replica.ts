/**
 * A session as a client has it: the host's own folds, the journal's checksum, and the end of the
 * transcript. Pure: each change makes a new one, and what did not change stays the same object.
 */

import {
  canonicalJson,
  type Event,
  emptyState,
  emptyTranscript,
  fold,
  type Json,
  type Message,
  type RouteReply,
  type SessionState,
  type SessionView,
  sessionView,
  transcriptOf,
} from "@holdfast/protocol";
import type { Reset } from "../live/heard.ts";
import { chainAfter } from "./chain.ts";

export interface Replica {
  readonly state: SessionState;
  readonly chain: number;
  readonly messages: readonly Message[];
  /** Messages before the ones it has. */
  readonly earlier: number;
  /** The least that the host's epoch can be: it tells no client, but its words show it. */
  readonly leastEpoch: number;
  readonly damage: SessionView["damage"];
}

export type Opened = RouteReply<"getTranscript">;

export function openReplica({ chain, earlier, messages, session, state }: Opened): Replica {
  const known = stateOf(state);
  const leastEpoch = leastEpochOf(known, session);
  return { state: known, chain, messages, earlier, leastEpoch, damage: session.damage };
}

/** What a reset tells is all there is; only the host's life is known from before. */
export function resetReplica({ state, chain, messages }: Reset, before: Replica): Replica {
  return { ...before, state: stateOf({ ...state }), chain, messages, earlier: 0 };
}

/** The replica after as many of the events as follow on what it has; the rest is a gap. */
export function advance(
  replica: Replica,
  events: readonly Event[],
  onState: (state: SessionState) => void = () => undefined,
): { readonly replica: Replica; readonly isGap: boolean } {
  let { state, chain } = replica;
  const taken: Event[] = [];
  let isGap = false;
  for (const event of events) {
    if (event.seq <= state.seq) continue;
    isGap = event.seq !== state.seq + 1;
    if (isGap) break;
    state = fold(state, event);
    chain = chainAfter(chain, event);
    taken.push(event);
    onState(state);
  }
  if (taken.length === 0) return { replica, isGap };
  const { messages } = transcriptOf(taken, { ...emptyTranscript, messages: replica.messages });
  return { replica: { ...replica, state, chain, messages }, isGap };
}

/** Older messages put before those it has. What is known of both is as we know it. */
export function prepend(replica: Replica, opened: Opened): Replica {
  const [first] = replica.messages;
  const at = opened.messages.findIndex(({ id }) => id === first?.id);
  if (at < 0) return replica;
  const messages = [...opened.messages.slice(0, at), ...replica.messages];
  return { ...replica, messages, earlier: opened.earlier };
}

export function viewOf({ state, leastEpoch, damage }: Replica): SessionView {
  const epoch = Math.max(leastEpoch, state.runtime.epoch, state.run?.epoch ?? 0);
  return sessionView(state, { epoch, damage });
}

/**
 * A runtime that the journal calls up and the host calls gone belongs to an earlier life, so the host
 * is in a later one.
 */
export function leastEpochOf(state: SessionState, view: SessionView): number {
  const { state: word, epoch } = state.runtime;
  return word !== view.runtime.state && view.runtime.state === "none" ? epoch + 1 : 0;
}

export function isSameState(ours: SessionState, theirs: Opened["state"]): boolean {
  return textOf(ours) === textOf(stateOf(theirs));
}

export function isSameView(ours: SessionView, theirs: SessionView): boolean {
  return textOf(ours) === textOf(theirs);
}

/** As it would come over the wire. */
function textOf(value: object): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}

function stateOf(state: Opened["state"]): SessionState {
  return { ...emptyState, ...(state as unknown as SessionState) };
}
