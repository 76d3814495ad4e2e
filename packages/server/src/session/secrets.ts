/**
 * The clear form of a resume token, `<token id>.<run's hex>.<secret>`. It names its run, so that a
 * token of another run gets its own error. The secret is 256 random bits; only its SHA-256 is
 * stored.
 */

import { HostError, isId } from "@holdfast/protocol";
import { sha256 } from "../base/sha256.ts";
import type { Presented } from "./rules/tokens.ts";

interface Secret {
  readonly secret: string;
  readonly hash: string;
}

export function newSecret(random: (bytes: number) => Uint8Array): Secret {
  const secret = Buffer.from(random(32)).toString("base64url");
  return { secret, hash: sha256(secret) };
}

export function clearToken(tokenId: string, runId: string, { secret }: Secret): string {
  return `${tokenId}.${runId.slice("run_".length)}.${secret}`;
}

export function presentToken(text: string): Presented | HostError {
  const [id, run, secret, ...rest] = text.split(".");
  const runId = `run_${run}`;
  if (!isId("token", id) || !isId("run", runId) || secret === undefined || rest.length > 0) {
    return new HostError("token_invalid", "This is not a resume token. Copy the whole link again.");
  }
  return { id, runId, hash: sha256(secret) };
}
