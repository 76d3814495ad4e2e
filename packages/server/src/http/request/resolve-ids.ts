/** Resolves the ids in a path, once per request; another tenant's id counts as unknown. */

import {
  HostError,
  isId,
  type RunId,
  type SessionId,
  type SessionState,
  type SessionView,
} from "@holdfast/protocol";
import { isKnown, type Presented } from "../../session/rules/tokens.ts";
import { presentToken } from "../../session/secrets.ts";
import type { HandlerDeps } from "./deps.ts";

type Stored = Pick<HandlerDeps["host"], "sessions" | "journal">;

export interface AtSession {
  readonly session: SessionId;
  /** The durable state when the request arrived. */
  readonly state: SessionState;
  readonly damage: SessionView["damage"];
}

export interface AtRun extends AtSession {
  readonly runId: RunId;
}

export async function sessionAt(stored: Stored, id: string, tenant: string): Promise<AtSession> {
  const at = await look(stored, id, tenant);
  if (at === null) throw new HostError("session_not_found", "Session not found");
  return at;
}

export async function runAt(stored: Stored, id: string, tenant: string): Promise<AtRun> {
  const at = await lookByRun(stored, id, tenant);
  if (at === null) throw new HostError("run_not_found", "Run not found");
  return at;
}

/** A caller with only a token must not learn whether other runs exist. */
export async function runByToken(stored: Stored, id: string, token: string): Promise<AtRun> {
  const presented = presentedToken(token);
  if (presented.runId !== id) {
    throw new HostError("token_mismatch", "This token belongs to another run.");
  }
  const at = await lookByRun(stored, id, null);
  if (at !== null && isKnown(at.state, presented)) return at;
  throw new HostError("token_invalid", "This token is not valid here. Ask for a new link.");
}

export function isForRun(text: string, runId: string): boolean {
  const presented = presentToken(text);
  return !(presented instanceof HostError) && presented.runId === runId;
}

export function presentedToken(text: string): Presented {
  const presented = presentToken(text);
  if (presented instanceof HostError) throw presented;
  return presented;
}

/** A session id that does not exist: looking it up makes an unknown run as costly as another tenant's. */
const NO_SESSION = `sess_${"0".repeat(32)}`;

async function lookByRun(stored: Stored, id: string, tenant: string | null) {
  // The index also holds keys that are not run ids.
  if (!isId("run", id)) return null;
  const session = await stored.journal.find(id);
  const at = await look(stored, session ?? NO_SESSION, tenant);
  return at !== null && (await hasRun(stored, at, id)) ? { ...at, runId: id } : null;
}

async function hasRun(stored: Stored, { session, state }: AtSession, runId: RunId) {
  if (state.run?.id === runId) return true;
  const { transcript } = await stored.sessions.open(session);
  return transcript.runs.some(({ id }) => id === runId);
}

async function look(stored: Stored, id: string, tenant: string | null): Promise<AtSession | null> {
  if (!isId("session", id)) return null;
  // The head is read first: for another tenant's session that takes as long as for a missing one.
  const standing = await stored.journal.standing(id, tenant ?? undefined);
  if (standing === null) return null;
  const state = await stored.sessions.state(id);
  if (tenant !== null && state.tenant !== tenant) return null;
  return { session: id, state, damage: shown(standing.damage) };
}

export function shown(
  damage: { reason: string; readableTo: number | null } | undefined,
): SessionView["damage"] {
  return damage === undefined ? null : { reason: damage.reason, readableTo: damage.readableTo };
}
