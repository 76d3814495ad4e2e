/**
 * What opening a session's page does about its agent: look once, and bring it up if it should be up.
 * However often it is started, it asks once; the host is single-flight besides.
 */

import type { RouteReply, StatusView } from "@holdfast/protocol";
import { Cell, type Watchable } from "../cell.ts";
import type { Client } from "../client.ts";
import { ApiError } from "../errors.ts";
import type { Feed } from "../live/feed.ts";
import { untilAnswered } from "../live/pause.ts";
import { alone, type Locks } from "../locks.ts";
import type { Clock } from "../timers.ts";

export type ResumeState =
  | { readonly state: "checking" }
  /** It runs, or has nothing to run. */
  | { readonly state: "not_needed"; readonly status: StatusView }
  /** It should run and cannot be brought up: `status` says why. */
  | { readonly state: "not_possible"; readonly status: StatusView }
  | { readonly state: "resuming"; readonly status: StatusView }
  /** Up again, and how; null where it takes so long that the rest is told by the session's events. */
  | { readonly state: "resumed"; readonly resume: RouteReply<"resumeSession">["resume"] }
  | { readonly state: "refused"; readonly code: string; readonly message: string };

export interface ResumeOptions {
  readonly session: string;
  readonly client: Client;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly locks: Locks | null;
}

/** A page that is mounted twice in a row is one page. */
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

  /** Stops asking, unless it is started again at once. What the host has begun goes on. */
  leave(): void {
    this.#cancelLeaving = this.#options.clock.after(LINGER, () => this.#life.abort());
  }

  async #attempt(): Promise<void> {
    const { clock, locks, session } = this.#options;
    // With two tabs, the second looks when the first is done, and finds it up.
    const ask = () => alone(locks, clock, `holdfast-resume ${session}`, () => this.#ask());
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

  /** A launch that failed is an answer; only a host that is on its way down has given none. */
  #mayAskAgain(error: ApiError): boolean {
    const isAsked = this.getSnapshot().state === "resuming";
    return isAsked ? error.code === "journal_closed" : error.isPassing;
  }
}
