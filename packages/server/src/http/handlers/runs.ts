/** Handlers of runs by their own id: read, cancel, resume, retry, dismiss. */

import { HostError, type RunView } from "@holdfast/protocol";
import { isLate } from "../../session/refusals.ts";
import { clearToken, newSecret } from "../../session/secrets.ts";
import { actor, signed } from "../request/actor.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { type AtRun, presentedToken } from "../request/resolve-ids.ts";
import { beginRevive, unattended } from "./begin-revive.ts";
import { falseWhenRunEnded } from "./run-ended.ts";
import { showRecord, showRun, showStarted } from "./show.ts";

type Names = "getRun" | "cancelRun" | "resumeRun" | "retryRun" | "dismissRun" | "mintToken";

export function runHandlers(deps: HandlerDeps): HandlersOf<Names> {
  const { sessions } = deps.host;
  const show = ({ session, runId }: AtRun) => showRun(sessions, session, runId);

  /** The run that continues this one, to answer a repeated request. */
  async function continuation({ session, runId }: AtRun): Promise<RunView | null> {
    const opened = await sessions.open(session);
    const next = opened.transcript.runs.find(({ continues }) => continues === runId);
    return next === undefined ? null : showRecord(sessions, opened, next);
  }

  return {
    getRun: async ({ at }) => ({ run: await show(at) }),

    async cancelRun({ caller, at }) {
      const { session, runId } = at;
      const cancelling = sessions.ask(session, "cancel", { runId, by: actor(caller) });
      const success = await cancelling.then(() => true).catch(falseWhenRunEnded);
      const { seq } = await sessions.state(session);
      return { success, run: await show(at), seq };
    },

    async resumeRun({ caller, at, body, idempotencyKey }) {
      const { session, state, runId } = at;
      const by = actor(caller);
      const { token, waitId, kind, key = idempotencyKey, result } = body;
      const named = token !== undefined || waitId !== undefined || kind !== undefined;
      if (!named && state.run?.id === runId && state.run.paused !== null) {
        await sessions.ask(session, "unpauseRun", { runId, by });
        unattended(deps, session, await beginRevive(deps, session, "revive"));
      } else {
        const presented = token === undefined ? undefined : presentedToken(token);
        const input = { runId, waitId, kind, token: presented, ...signed(caller), key, result };
        await sessions.ask(session, "resumeWait", input);
      }
      const run = await show(at);
      return { success: true, run: caller === null ? withheld(run) : run };
    },

    async retryRun({ caller, at, body: { from } }) {
      const input = { runId: at.runId, from, by: actor(caller) };
      try {
        const { state } = await sessions.ask(at.session, "retry", input);
        const run = made(showStarted(sessions, state));
        deps.runCreated?.(run.id, caller);
        return { success: true, run };
      } catch (error) {
        const stands = isLate(error) ? await continuation(at) : null;
        if (stands === null) throw error;
        return { success: false, run: stands };
      }
    },

    async dismissRun({ at }) {
      await sessions.ask(at.session, "dismiss", { runId: at.runId });
      return { success: true, run: await show(at) };
    },

    async mintToken({ at: { session, runId }, body: { waitId, expiresAt = null } }) {
      const secret = newSecret(deps.random);
      const token = { hash: secret.hash, expiresAt };
      const { events } = await sessions.ask(session, "mintToken", { runId, waitId, token });
      const { tokenId } = made(events.find((event) => event.kind === "token.minted"));
      return { token: clearToken(tokenId, runId, secret), tokenId };
    },
  };
}

/** Narrows the result of a command that succeeded, which always creates something. */
function made<T>(found: T | null | undefined): T {
  if (found == null) throw new HostError("internal", "A command made nothing.");
  return found;
}

/** Removes the run's content: a token allows one decision, but no reading. */
function withheld(run: RunView): RunView {
  return { ...run, contentParts: [], pendingApproval: null, errorMessage: null };
}
