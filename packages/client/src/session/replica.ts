/**
 * A client's copy of a session: the host's own folds, the journal's checksum, the end of the
 * transcript, its receipts and the last events. Pure: each change returns a new replica, and unchanged parts keep their identity.
 */

import {
  canonicalJson,
  type Event,
  emptyState,
  emptyTranscript,
  fold,
  type Json,
  type Message,
  type Receipt,
  type RouteReply,
  type SessionState,
  type SessionView,
  sessionView,
  transcriptOf,
} from "@holdfast/protocol";
import type { Reset } from "../wire.ts";
import { chainAfter } from "./chain.ts";

export interface Replica {
  readonly state: SessionState;
  readonly chain: number;
  readonly messages: readonly Message[];
  readonly earlier: number;
  readonly receipts: readonly Receipt[];
  /** The last events that were applied, without a gap up to `state.seq`. */
  readonly recent: readonly Event[];
  /** The lowest possible epoch of the host: clients do not get the epoch, but views reveal it. */
  readonly leastEpoch: number;
  readonly damage: SessionView["damage"];
}

export type Opened = RouteReply<"getTranscript">;

/** Events kept in memory: some minutes of a talking agent. */
const RECENT = 2000;

export function openReplica({ session, ...opened }: Opened): Replica {
  const { chain, earlier, messages, receipts } = opened;
  const state = stateOf(opened.state);
  const leastEpoch = leastEpochOf(state, session);
  const { damage } = session;
  return { state, chain, messages, earlier, receipts, recent: [], leastEpoch, damage };
}

/** A reset replaces everything except the host's epoch. */
export function resetReplica(
  { state, chain, messages, receipts }: Reset,
  before: Replica,
): Replica {
  const kept = receipts ?? before.receipts;
  return {
    ...before,
    state: stateOf(state),
    chain,
    messages,
    receipts: kept,
    earlier: 0,
    recent: [],
  };
}

/** Applies as many events as follow without a gap. */
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
  const { agentEnd, readySeq } = replica.state.runtime;
  const before = {
    ...emptyTranscript,
    messages: replica.messages,
    receipts: replica.receipts,
    ...(agentEnd === undefined ? {} : { agentEnd }),
    ...(readySeq === undefined ? {} : { readySeq }),
  };
  const { messages, receipts } = transcriptOf(taken, before);
  const recent = [...replica.recent, ...taken].slice(-RECENT);
  return { replica: { ...replica, state, chain, messages, receipts, recent }, isGap };
}

/** The events after a seq; null when the replica does not have all of them. */
export function eventsAfter({ state, recent }: Replica, seq: number): readonly Event[] | null {
  const first = state.seq - recent.length + 1;
  return seq < first - 1 ? null : recent.slice(Math.max(0, seq - first + 1));
}

/** Adds older messages and their receipts before the loaded ones, which are kept as they are. */
export function prepend(replica: Replica, opened: Opened): Replica {
  const [first] = replica.messages;
  const at = opened.messages.findIndex(({ id }) => id === first?.id);
  if (at < 0) return replica;
  const messages = [...opened.messages.slice(0, at), ...replica.messages];
  const until = replica.receipts[0]?.seq ?? replica.state.seq + 1;
  const older = opened.receipts?.filter(({ seq }) => seq < until) ?? [];
  const receipts = [...older, ...replica.receipts];
  return { ...replica, messages, receipts, earlier: opened.earlier };
}

export function viewOf({ state, leastEpoch, damage }: Replica): SessionView {
  const epoch = Math.max(leastEpoch, state.runtime.epoch, state.run?.epoch ?? 0);
  return sessionView(state, { epoch, damage });
}

/** A runtime that is gone for the host is of an earlier boot, so the host's epoch is higher. */
export function leastEpochOf(state: SessionState, view: SessionView): number {
  const { state: word, epoch } = state.runtime;
  return word !== view.runtime.state && view.runtime.state === "none" ? epoch + 1 : 0;
}

export function isSameState(ours: SessionState, theirs: SessionState): boolean {
  return textOf(ours) === textOf(stateOf(theirs));
}

export function isSameView(ours: SessionView, theirs: SessionView): boolean {
  return textOf(ours) === textOf(theirs);
}

/** The value's canonical JSON, after a round trip as over the wire. */
function textOf(value: object): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}

/** A host of another version may leave out members. */
function stateOf(state: SessionState): SessionState {
  return { ...emptyState, ...state };
}
