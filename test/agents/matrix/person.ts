/**
 * A person who uses one session over HTTP. Every wait has a timeout, whose error shows the last
 * events.
 */

import { type Event, type EventKind, outcomeOf } from "@holdfast/protocol";
import type { World } from "../../story/world.ts";
import { type EventOfKind, ofKind } from "./kinds.ts";

/** Timeout, longer than an agent's start. */
const PATIENCE = 90_000;

export class Person {
  readonly world: World;
  readonly session: string;

  constructor(world: World, session: string) {
    this.world = world;
    this.session = session;
  }

  /** The session's last seq. */
  async now(): Promise<number> {
    return (await this.world.session(this.session)).lastSeq;
  }

  /** A whole turn in which every question is approved. */
  async turn(words: string): Promise<void> {
    const before = await this.now();
    await this.world.send(this.session, words);
    await this.completed(before);
  }

  /** Sends a message and returns at once. */
  async begin(words: string): Promise<void> {
    await this.world.send(this.session, words);
  }

  async continue(): Promise<void> {
    const params = { sessionId: this.session };
    await this.world.client.call("resumeSession", { params, body: { mode: "continue" } });
  }

  /** Waits for the completion of the current run and approves every question on the way. */
  async completed(after: number): Promise<void> {
    await this.agreeing("the end of its turn", after, ofKind("run.completed"));
  }

  /** Waits for an event of the current run and approves every question on the way. */
  async agreeing(what: string, after: number, fits: (event: Event) => boolean): Promise<Event> {
    for (let seen = after; ; ) {
      const event = await this.until(what, seen, (said) => fits(said) || isTurning(said));
      if (fits(event)) return event;
      if (event.kind !== "run.waiting") {
        throw new Error(`${what} did not come: ${JSON.stringify(event)}`);
      }
      await this.allow(event.runId, event.approvalId ?? "");
      seen = event.seq;
    }
  }

  async allow(runId: string, approvalId: string): Promise<void> {
    const params = { runId, approvalId };
    await this.world.client.call("decideApproval", { params, body: { decision: "allow" } });
  }

  /** The open question, as the session's API shows it. */
  async question(): Promise<{ runId: string; approvalId: string }> {
    const { currentRunId } = await this.world.session(this.session);
    const runId = currentRunId ?? "";
    const { pendingApproval } = await this.world.run(runId);
    return { runId, approvalId: pendingApproval?.id ?? "" };
  }

  until<K extends EventKind>(
    what: string,
    after: number,
    fits: (event: Event) => event is EventOfKind<K>,
  ): Promise<EventOfKind<K>>;
  until(what: string, after: number, fits: (event: Event) => boolean): Promise<Event>;
  async until(what: string, after: number, fits: (event: Event) => boolean): Promise<Event> {
    const signal = AbortSignal.timeout(PATIENCE);
    const { client } = this.world;
    for await (const step of client.follow({ session: this.session, after, signal })) {
      if (step.type === "event" && fits(step.event)) return step.event;
    }
    throw new Error(`${what} did not come in ${PATIENCE / 1000} s; ${await this.#lastWords()}`);
  }

  async #lastWords(): Promise<string> {
    const said = await this.world.events(this.session).then(
      (events) => events.slice(-6).map((event) => JSON.stringify(event).slice(0, 300)),
      (error: Error) => [`the host does not answer: ${error.message}`],
    );
    return `last was ${said.join("\n    ")}`;
  }
}

function isTurning(event: Event): boolean {
  return event.kind === "run.waiting" || outcomeOf(event.kind) !== undefined;
}
