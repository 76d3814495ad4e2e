/**
 * Resume tokens: single-use secrets for one wait. Rules see only their hashes. A refused token
 * leaves the state unchanged; a consumed one is journalled together with the `run.resumed` that it
 * allowed.
 */

import { timingSafeEqual } from "node:crypto";
import {
  type EventBody,
  HostError,
  type RunState,
  type SessionState,
  type SpentToken,
  type TokenState,
  type WaitState,
} from "@holdfast/protocol";
import { type Moment, runRule } from "./rule.ts";
import { clockOf, steadyTime } from "./time.ts";

export interface Presented {
  readonly id: string;
  readonly runId: string;
  readonly hash: string;
}

/** The wait that this token opens, or the exact reason why it is refused. */
export function admit(
  state: SessionState,
  run: RunState,
  presented: Presented,
  asked: { runId: string; waitId?: string | undefined; kind?: string | undefined },
  at: Moment,
): WaitState | HostError {
  if (presented.runId !== asked.runId || presented.runId !== run.id) {
    return new HostError("token_mismatch", "This token belongs to another run.");
  }
  const wait = run.waits.find((open) => open.token?.id === presented.id);
  if (wait === undefined || wait.token === null) return spent(state, presented);
  if (!sameHash(wait.token.hash, presented.hash)) return invalid();
  if (wait.token.status !== "active") return spentAs(wait.token.status);
  if ((asked.waitId ?? wait.id) !== wait.id || (asked.kind ?? wait.kind) !== wait.kind) {
    return new HostError("token_mismatch", "This token belongs to another wait of the run.");
  }
  return isExpired(wait.token, at) ? spentAs("expired") : wait;
}

/** The reason why a token is refused; only a caller who knows the secret gets it. */
export function spent(state: SessionState, presented: Presented): HostError {
  const known = spentToken(state, presented);
  return known === undefined ? invalid() : spentAs(known.status);
}

/** True when the secret belongs to a token of this session, open or spent. */
export function isKnown(state: SessionState, presented: Presented): boolean {
  const waits = state.run?.id === presented.runId ? state.run.waits : [];
  const token = waits.find((open) => open.token?.id === presented.id)?.token ?? null;
  if (token !== null) return sameHash(token.hash, presented.hash);
  return spentToken(state, presented) !== undefined;
}

/** True when consumed under the same idempotency key: a retry gets the same answer. */
export function wonBefore(
  state: SessionState,
  presented: Presented,
  key: string | undefined,
): boolean {
  const known = spentToken(state, presented);
  return key !== undefined && known?.status === "consumed" && known.key === key;
}

function spentToken(state: SessionState, presented: Presented): SpentToken | undefined {
  const known = state.spentTokens.find((token) => token.id === presented.id);
  if (known === undefined || known.runId !== presented.runId) return undefined;
  return sameHash(known.hash, presented.hash) ? known : undefined;
}

export function isExpired(token: TokenState, at: Moment): boolean {
  return expiryTimes(token, at.epoch).some((time) => at.steady >= time);
}

export function expiryTimes(token: TokenState, epoch: number | null): number[] {
  return token.expiresAt === null ? [] : [steadyTime(token.expiresAt, token, epoch)];
}

function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, "hex"), Buffer.from(right, "hex")];
  return a.length === b.length && timingSafeEqual(a, b);
}

function invalid(): HostError {
  return new HostError("token_invalid", "This token is not valid here. Ask for a new link.");
}

function spentAs(status: SpentToken["status"]): HostError {
  switch (status) {
    case "consumed":
      return new HostError("token_consumed", "This token was used already; it works once.");
    case "revoked":
      return new HostError("token_revoked", "This token was revoked. Ask for a new link.");
    case "expired":
      return new HostError("token_expired", "This token has expired. Ask for a new link.");
  }
}

export function revoking(run: RunState, wait: WaitState, reason: string): EventBody[] {
  if (wait.token?.status !== "active") return [];
  return [{ kind: "token.revoked", runId: run.id, tokenId: wait.token.id, reason }];
}

export const minting = (
  run: RunState,
  wait: Pick<WaitState, "id" | "kind">,
  token: { hash: string; expiresAt: string | null },
  tokenId: string,
  at: Moment,
): EventBody => ({
  kind: "token.minted",
  runId: run.id,
  tokenId,
  waitId: wait.id,
  waitKind: wait.kind,
  hash: token.hash,
  expiresAt: token.expiresAt,
  epoch: at.epoch,
  clock: clockOf(at),
});

export const mintToken = runRule("mintToken", (run, input, at) => {
  if (run.cancel !== null) {
    return new HostError("cancel_pending", `Run ${run.id} is being cancelled; it needs no token.`);
  }
  const [wait, other] = run.waits.filter((open) => open.id === (input.waitId ?? open.id));
  if (wait === undefined) {
    return new HostError("not_waiting", `Run ${run.id} has no such open wait.`);
  }
  if (other !== undefined) {
    return new HostError("bad_input", `Run ${run.id} has several open waits; name one by waitId.`);
  }
  const minted = minting(run, wait, input.token, at.newId("token"), at);
  return [...revoking(run, wait, "replaced"), minted];
});

export const revokeToken = runRule("revokeToken", (run, input) => {
  const wait = run.waits.find((open) => open.token?.id === input.tokenId);
  if (wait === undefined) {
    return new HostError("token_invalid", `Run ${run.id} has no such token.`);
  }
  return revoking(run, wait, input.reason);
});
