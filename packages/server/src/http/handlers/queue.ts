import { queueView } from "@holdfast/protocol";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { storable } from "./content.ts";
import { showSession, showStarted } from "./show.ts";

type Names = "getQueue" | "editQueued" | "removeQueued" | "releaseQueue";

export function queueHandlers({ host: { sessions, blobs } }: HandlerDeps): HandlersOf<Names> {
  return {
    getQueue: ({ at }) => ({ queue: queueView(at.state) }),

    async editQueued({ at, params: { messageId }, body }) {
      const content = await storable(blobs, at.session, body.content);
      const input = { messageId, ...content };
      const { state } = await sessions.ask(at.session, "editQueued", input);
      return { queue: queueView(state) };
    },

    async removeQueued({ at, params: { messageId } }) {
      const { state } = await sessions.ask(at.session, "removeQueued", { messageId });
      return { queue: queueView(state) };
    },

    async releaseQueue({ at }) {
      const { state, events } = await sessions.ask(at.session, "releaseQueue", {});
      const run = events.length === 0 ? null : showStarted(sessions, state);
      return { session: showSession(sessions, state), run };
    },
  };
}
