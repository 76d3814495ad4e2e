/** Handlers of a session's runtime: status, resume, pause, and break for demos. */

import { continuableRun, type RouteReply, type SessionId, statusView } from "@holdfast/protocol";
import type { Caller } from "../../access/credentials/caller.ts";
import { inTime } from "../../base/in-time.ts";
import { policyOf } from "../../base/policy.ts";
import { pauseAll, stillRunning } from "../../runtime/pause-all.ts";
import type { Reviving } from "../../runtime/runtimes.ts";
import { actor, signed } from "../request/actor.ts";
import type { HandlerDeps } from "../request/deps.ts";
import { GoesOn, type HandlersOf } from "../request/handler.ts";
import { presentedToken } from "../request/resolve-ids.ts";
import { beginRevive, unattended } from "./begin-revive.ts";
import { falseWhenRunEnded } from "./run-ended.ts";
import { showSessionNow } from "./show.ts";

type Names = "getStatus" | "resumeSession" | "pauseSession" | "pauseHost" | "breakSession";
type Resumed = RouteReply<"resumeSession">;

export function runtimeHandlers(deps: HandlerDeps): HandlersOf<Names> {
  const { sessions, journal, clock, policy, runtimes, workspaces } = deps.host;

  async function started(session: SessionId): Promise<Resumed | GoesOn<Resumed>> {
    const view = await showSessionNow(sessions, session);
    const reply = { session: view, resume: null };
    // The agent already runs, so no work continues after the answer.
    return view.runtime.state === "live" ? reply : new GoesOn(reply);
  }

  async function awaited(session: SessionId, { done }: Pick<Reviving, "done">) {
    const revived = await inTime(
      clock,
      policy.reviveLimit,
      done.then((resumed) => ({ resumed })),
    );
    const view = await showSessionNow(sessions, session);
    if (revived === null) return new GoesOn<Resumed>({ session: view, resume: null });
    return { session: view, resume: revived.resumed as Resumed["resume"] };
  }

  /** Durable before the revive, so that the run continues even if the request is cut off. */
  async function goOn(session: SessionId, runId: string, caller: Caller): Promise<void> {
    const input = { runId, from: "error", by: actor(caller) } as const;
    const taken = await sessions.ask(session, "retry", input).catch(falseWhenRunEnded);
    if (taken !== false && taken.state.run !== null) deps.runCreated?.(taken.state.run.id, caller);
  }

  return {
    async getStatus({ at: { session, state } }) {
      return statusView(state, {
        epoch: sessions.epoch,
        now: clock.now(),
        staleWindow: policy.staleWindow,
        hasLeftOut: deps.host.blobs.hasLeftOut(session),
        workspaceOk: await workspaces.isThere(state),
        nextRung: runtimes.nextRung(state),
        onOpen: policyOf(state, policy).onOpen,
      });
    },

    async resumeSession({ caller, at: { session, state }, body, idempotencyKey: key }) {
      const { mode = "revive", token, wait = true } = body;
      if (token !== undefined) {
        const presented = presentedToken(token);
        const input = { runId: presented.runId, token: presented, ...signed(caller), key };
        await sessions.ask(session, "resumeWait", input);
      }
      const runId = mode === "continue" ? continuableRun(state) : null;
      if (runId !== null) await goOn(session, runId, caller);
      const reviving = await beginRevive(deps, session, mode);
      const answer = wait ? await awaited(session, reviving) : await started(session);
      if (answer instanceof GoesOn) unattended(deps, session, reviving);
      return answer;
    },

    async pauseSession({ at: { session } }) {
      await runtimes.pause(session);
      return { session: await showSessionNow(sessions, session) };
    },

    async pauseHost() {
      const { onError } = deps;
      const { paused, failed } = await pauseAll({ sessions, journal, onError }, async (session) => {
        await runtimes.pause(session);
        if (runtimes.isUp(session, await sessions.state(session))) throw stillRunning();
      });
      return { paused: paused.length, failed };
    },

    async breakSession({ at: { session }, body: { what } }) {
      await runtimes.break(session, what);
      return { success: true };
    },
  };
}
