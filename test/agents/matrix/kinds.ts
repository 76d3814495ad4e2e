import type { Event, EventKind } from "@holdfast/protocol";

export type EventOfKind<K extends EventKind> = Extract<Event, { kind: K }>;

export const ofKind =
  <K extends EventKind>(kind: K) =>
  (event: Event): event is EventOfKind<K> =>
    event.kind === kind;
