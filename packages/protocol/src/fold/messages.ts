import { type QueuedMessage, type SessionState, stateLimits } from "../session.ts";
import type { FoldsOf } from "./change.ts";

export const messageFolds: FoldsOf<"message"> = {
  "message.user": (state, event) => ({
    ...state,
    lastMessageAt: event.ts,
    paused: null,
    queue: state.queue.filter((queued) => queued.id !== event.messageId),
    clients: remember(state, event),
  }),
  "message.queued": (state, event) => ({
    ...state,
    lastMessageAt: event.ts,
    queue: enqueue(state.queue, {
      id: event.messageId,
      content: event.content,
      blob: event.blob ?? null,
      clientId: event.clientId ?? null,
      model: event.model ?? null,
      urgent: event.urgent === true,
      queuedAt: event.ts,
    }),
    clients: remember(state, event),
  }),
  "message.edited": (state, event) => ({
    ...state,
    queue: state.queue.map((queued) =>
      queued.id === event.messageId
        ? { ...queued, content: event.content, blob: event.blob ?? null }
        : queued,
    ),
  }),
  "message.removed": (state, event) => ({
    ...state,
    queue: state.queue.filter((queued) => queued.id !== event.messageId),
  }),
};

function enqueue(queue: readonly QueuedMessage[], message: QueuedMessage) {
  if (!message.urgent) return [...queue, message];
  const urgent = queue.findLastIndex((queued) => queued.urgent) + 1;
  return queue.toSpliced(urgent, 0, message);
}

function remember(
  state: SessionState,
  event: { clientId?: string | undefined; messageId: string; seq: number },
) {
  const { clientId, messageId, seq } = event;
  if (clientId === undefined || state.clients.some((known) => known.clientId === clientId)) {
    return state.clients;
  }
  return [...state.clients, { clientId, messageId, seq }].slice(-stateLimits.clients);
}
