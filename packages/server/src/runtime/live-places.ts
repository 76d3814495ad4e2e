/** The places of live agents: a launch takes one, and idle agents give way to waiting launches. */

import { openRun, type SessionId, type SessionState } from "@holdfast/protocol";
import type { KnownAgents } from "../agents/known-agents.ts";
import type { Sessions } from "../session/sessions.ts";
import { LaunchQueue, type LiveLimits, type Wanted } from "./launch-queue.ts";

interface LivePlacesOptions {
  readonly sessions: Sessions;
  readonly agents: KnownAgents;
  readonly limits: LiveLimits;
  readonly isReviving: (session: SessionId) => boolean;
  readonly pause: (session: SessionId) => Promise<void>;
  readonly onError: (session: SessionId | null, error: unknown) => void;
}

export class LivePlaces {
  readonly #options: LivePlacesOptions;
  readonly #sessions: Sessions;
  readonly #queue: LaunchQueue;
  readonly #leave: () => void;
  #makingRoom: Promise<void> | null = null;
  #isRoomWanted = false;
  #closing = false;

  constructor(options: LivePlacesOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
    this.#queue = new LaunchQueue(options.limits);
    this.#leave = this.#sessions.onDurable((_session, { events, state }) => {
      const exited = events.filter((event) => event.kind === "holder.exited");
      for (const { holderId } of exited) this.#queue.free(holderId);
      // The session's agent may be idle now and free its place.
      if (exited.length === 0 && openRun(state) === null) this.#makeRoom();
    });
  }

  occupy(holderId: string, place: Pick<Wanted, "session" | "tenant">): void {
    this.#queue.occupy(holderId, place);
  }

  free(holderId: string): void {
    this.#queue.free(holderId);
  }

  close(): void {
    this.#closing = true;
    this.#leave();
  }

  async take(
    { session, holderId }: Pick<Wanted, "session" | "holderId">,
    queued: () => void,
    stopped: AbortSignal,
  ): Promise<void> {
    const state = await this.#sessions.state(session);
    const { tenant } = state;
    const since = Date.parse(openRun(state)?.startedAt ?? state.updatedAt);
    const full = this.#queue.fullFor(tenant);
    if (full !== null) {
      // Recorded before the wait: if it is refused, the launch must not stay in the queue and take
      // a place later.
      await this.#sessions.execute(session, "queueLaunch", full);
      queued();
    }
    const turn = this.#queue.wait({ session, holderId, tenant, since }, stopped);
    this.#makeRoom();
    await turn;
  }

  /** Pauses idle agents for waiting launches, the longest idle first. */
  #makeRoom(): void {
    if (this.#closing || this.#queue.waiting.length === 0) return;
    this.#isRoomWanted = true;
    this.#makingRoom ??= this.#pauseIdle()
      .catch((error: unknown) => this.#options.onError(null, error))
      .finally(() => {
        this.#makingRoom = null;
      });
  }

  async #pauseIdle(): Promise<void> {
    while (this.#isRoomWanted) {
      this.#isRoomWanted = false;
      for (const wanted of this.#queue.waiting) {
        const idle = await this.#longestIdle(wanted);
        if (this.#closing) return;
        if (idle !== null) await this.#options.pause(idle);
      }
    }
  }

  /** The longest idle session whose agent can resume natively. */
  async #longestIdle({ tenant }: Wanted): Promise<SessionId | null> {
    const isOwn = this.#queue.fullFor(tenant)?.scope === "tenant";
    let longest: SessionState | null = null;
    for (const { session, tenant: whose } of this.#queue.live) {
      if ((isOwn && whose !== tenant) || this.#options.isReviving(session)) continue;
      const state = await this.#sessions.state(session);
      const agent = this.#options.agents.get(state.agentName);
      const isIdle = state.runtime.state === "live" && openRun(state) === null;
      if (!isIdle || state.paused !== null || agent?.resume !== "native") continue;
      if (longest === null || state.updatedAt < longest.updatedAt) longest = state;
    }
    return longest === null ? null : (longest.id as SessionId);
  }
}
