/** Handlers of whole sessions: list, read, update, end. */

import { damagedView, HostError, type SessionView } from "@holdfast/protocol";
import type { Standing } from "../../journal/journal.ts";
import { encodePlace, placeOf } from "../../journal/list-cursor.ts";
import type { CallerSessions } from "../../session/sessions.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { type AtSession, shown } from "../request/resolve-ids.ts";
import { showSession, showSessionNow } from "./show.ts";

type Names = "listSessions" | "getSession" | "updateSession" | "deleteSession" | "endSession";

export function sessionHandlers({ host }: HandlerDeps): HandlersOf<Names> {
  const { sessions } = host;

  async function end(
    { session }: AtSession,
    reason?: "deleted",
  ): Promise<{ session: SessionView }> {
    await host.runtimes.end(session, reason);
    return { session: await showSessionNow(sessions, session) };
  }

  return {
    async listSessions({ caller: { tenant }, query: { status, q, cursor, limit } }) {
      const shown: { readonly standing: Standing; readonly view: SessionView }[] = [];
      let next = cursor ?? null;
      // Deleted sessions are left out, so that one read may give less than a page.
      do {
        const page = await host.journal.list({
          tenant,
          limit,
          ...(status === undefined ? {} : { status }),
          ...(q === undefined ? {} : { q }),
          ...(next === null ? {} : { cursor: next }),
        });
        const views = page.sessions.map((standing) => listed(sessions, standing, tenant));
        for (const [i, view] of (await Promise.all(views)).entries()) {
          const standing = page.sessions[i];
          if (standing !== undefined && view !== null) shown.push({ standing, view });
        }
        next = page.cursor;
      } while (next !== null && shown.length < limit);
      const last = shown.length > limit ? shown[limit - 1] : undefined;
      return {
        sessions: shown.slice(0, limit).map(({ view }) => view),
        cursor: last === undefined ? next : encodePlace(placeOf(last.standing)),
        needs: await host.journal.needs(tenant),
      };
    },

    getSession: ({ at }) => ({ session: showSession(sessions, at.state, at.damage) }),

    async updateSession({ at, body: { title, policy } }) {
      // The policy goes first because it can be refused: a refused request changes no field.
      if (policy !== undefined) await sessions.ask(at.session, "setPolicy", { policy });
      if (title !== undefined) await sessions.ask(at.session, "rename", { title });
      return { session: await showSessionNow(sessions, at.session) };
    },

    deleteSession: ({ at }) => end(at, "deleted"),
    endSession: ({ at }) => end(at),
  };
}

/** Reads the journal's state, because a head from an earlier boot may still say `active`. */
async function listed(
  sessions: CallerSessions,
  standing: Standing,
  tenant: string,
): Promise<SessionView | null> {
  const damage = shown(standing.damage);
  try {
    const state = await sessions.state(standing.session);
    // A record that fails its checksum may name any tenant; the journal has the right one.
    const isListed = state.tenant === tenant && state.ended?.reason !== "deleted";
    return isListed ? showSession(sessions, state, damage) : null;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    // The host removed the session after the page was read.
    if (error.code === "session_not_found") return null;
    if (error.code !== "session_damaged") throw error;
    const named = damage ?? { reason: error.message, readableTo: null };
    const columns = columnsOf(standing);
    // In an unreadable session the record's tenant is uncertain, and its title may belong to
    // another tenant.
    const title = named.readableTo === null ? "Damaged session" : columns.title;
    return damagedView({ ...columns, title }, named);
  }
}

function columnsOf({ session: id, seq: lastSeq, head }: Standing) {
  const { title, agentName } = head;
  const createdAt = new Date(head.createdAt).toISOString();
  const updatedAt = new Date(head.updatedAt).toISOString();
  return { id, title, agentName, lastSeq, createdAt, updatedAt };
}
