/** Revives a session's agent when its page opens, if needed; asks once for many starts. */

import type { RouteReply, StatusView } from "@holdfast/protocol";
import { Cell, type Watchable } from "../cell.ts";
import type { Client } from "../client.ts";
import { ApiError } from "../errors.ts";
import type { Feed } from "../live/feed.ts";
import { untilAnswered } from "../live/pause.ts";
import { type Locks, withLock } from "../locks.ts";
import type { Clock } from "../timers.ts";

export type ResumeState =
  | { readonly state: "checking" }
  /** The agent runs, or has no work. */
  | { readonly state: "not_needed"; readonly status: StatusView }
  /** The agent should run and cannot be revived: `status` says why. */
  | { readonly state: "not_possible"; readonly status: StatusView }
  | { readonly state: "resuming"; readonly status: StatusView }
  /** The agent runs again, and how; null when it takes long, and the session's events report the rest. */
  | { readonly state: "resumed"; readonly resume: RouteReply<"resumeSession">["resume"] }
  | { readonly state: "refused"; readonly code: string; readonly message: string };

interface ResumeOptions {
  readonly session: string;
  readonly client: Client;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly locks: Locks | null;
}

/** Time to keep an attempt for a page that is mounted again at once. */
const LINGER = 1_000;

const checking: ResumeState = { state: "checking" };

export class ResumeAttempt implements Watchable<ResumeState> {
  readonly getSnapshot: () => ResumeState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly #options: ResumeOptions;
  readonly #cell = new Cell<ResumeState>(checking);
  readonly #life = new AbortController();
  #hasAttempted = false;
  #cancelLeaving = () => {};

  constructor(options: ResumeOptions) {
    this.#options = options;
    this.getSnapshot = this.#cell.getSnapshot;
    this.subscribe = this.#cell.subscribe;
  }

  start(): void {
    this.#cancelLeaving();
    if (this.#hasAttempted) return;
    this.#hasAttempted = true;
    void this.#attempt();
  }

  /** Stops asking, unless it is started again at once. A revive that the host has begun continues. */
  leave(): void {
    this.#cancelLeaving = this.#options.clock.after(LINGER, () => this.#life.abort());
  }

  async #attempt(): Promise<void> {
    const { clock, locks, session } = this.#options;
    // With two tabs, the second checks after the first is done, and finds the agent running.
    const ask = () => withLock(locks, clock, `holdfast-resume ${session}`, () => this.#ask());
    const answer = await untilAnswered(this.#options, this.#life.signal, ask, (refusal) =>
      this.#mayAskAgain(refusal),
    );
    if (answer instanceof ApiError) {
      this.#cell.set({ state: "refused", code: answer.code, message: answer.message });
    } else if (answer !== null) this.#cell.set(answer);
  }

  async #ask(): Promise<ResumeState> {
    const { client, session } = this.#options;
    const { signal } = this.#life;
    const params = { sessionId: session };
    this.#cell.set(checking);
    const status = await client.call("getStatus", { params, signal });
    if (!status.needsResume) return { state: "not_needed", status };
    if (!status.isResumable) return { state: "not_possible", status };
    this.#cell.set({ state: "resuming", status });
    const { resume } = await client.call("resumeSession", { params, signal });
    return { state: "resumed", resume };
  }

  /** A failed launch is an answer; only a host that is shutting down has given none. */
  #mayAskAgain(error: ApiError): boolean {
    const isAsked = this.getSnapshot().state === "resuming";
    return isAsked ? error.code === "journal_closed" : error.mayRetry;
  }
}
