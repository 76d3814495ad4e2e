/** A session's events as the real rules decide them, collected into the batch that creates it. */

import { randomBytes } from "node:crypto";
import {
  type CommandInput,
  type CommandName,
  type Event,
  type EventBody,
  emptyState,
  fold,
  HostError,
  makeId,
  type NewId,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import { encodeStamped } from "@holdfast/protocol/schemas";
import { defaultPolicy } from "../packages/server/src/base/policy.ts";
import type { Batch } from "../packages/server/src/journal/journal.ts";
import { onceFacts } from "../packages/server/src/session/facts.ts";
import { headOf } from "../packages/server/src/session/heads.ts";
import { rules } from "../packages/server/src/session/rules/index.ts";
import type { Moment, Rule } from "../packages/server/src/session/rules/rule.ts";
import { textOf } from "./events.ts";

const bootId = makeId("boot", Date.now(), randomBytes(10));
const newId: NewId = (kind) => makeId(kind, Date.now(), randomBytes(10));

export class Story {
  readonly #session: SessionId;
  readonly #epoch: number;
  readonly #bodies: EventBody[] = [];
  #state: SessionState = emptyState;
  #text = "";

  constructor(session: SessionId, epoch: number) {
    this.#session = session;
    this.#epoch = epoch;
  }

  get length(): number {
    return this.#bodies.length;
  }

  /** Creates and prompts the session, and lets the agent accept the prompt. */
  start(): this {
    const title = textOf(this.#session.charCodeAt(20)).slice(0, 60).trim();
    this.#tell("create", { sessionId: this.#session, tenant: "main", title, agentName: "demo" });
    this.#tell("prompt", { content: `Please: ${title}`, clientId: newId("message") });
    return this.#tell("accept", { ...this.#launch(), holderId: null });
  }

  /** Adds one tool call and `texts` pieces of text: 2 + `texts` events. */
  work(texts: number): this {
    const call = { toolCallId: `call_${randomBytes(6).toString("hex")}` };
    const pieces = Array.from({ length: texts }, (_, i) => ({
      type: "text" as const,
      text: textOf(i),
    }));
    return this.#tell("record", {
      ...this.#launch(),
      output: [
        { type: "tool_started", ...call, name: "read", input: { path: "src/a.ts" }, gated: false },
        { type: "tool_finished", ...call, status: "completed", output: textOf(1) },
        ...pieces,
      ],
    });
  }

  complete(): this {
    return this.#tell("complete", { ...this.#launch(), stopReason: "end_turn" });
  }

  batch(): Batch {
    return {
      session: this.#session,
      epoch: this.#epoch,
      expectedSeq: 0,
      count: this.#bodies.length,
      text: this.#text,
      head: headOf(this.#state, this.#epoch, defaultPolicy),
      once: onceFacts(this.#bodies),
    };
  }

  #launch(): { runId: string; attempt: number } {
    const { run } = this.#state;
    if (run === null) throw new Error("the story has no run yet");
    return { runId: run.id, attempt: run.attempt.n };
  }

  #tell<N extends CommandName>(name: N, input: CommandInput<N>): this {
    const decided = (rules[name] as Rule<N>)(this.#state, input, this.#moment());
    if (decided instanceof HostError) throw decided;
    const ts = new Date().toISOString();
    for (const body of decided) {
      const seq = this.#state.seq + 1;
      this.#text += encodeStamped({ seq, ts, ...body });
      this.#state = fold(this.#state, { seq, ts, ...body } as Event);
      this.#bodies.push(body);
    }
    return this;
  }

  #moment(): Moment {
    const now = Date.now();
    const epoch = this.#epoch;
    return { now, steady: now, graceUntil: 0, epoch, bootId, newId, policy: defaultPolicy };
  }
}
