/**
 * A story: applies rules one after another to an empty state, as an owner would, without any I/O.
 */

import {
  answerId,
  type CommandInput,
  type CommandName,
  type Derived,
  deriveStatus,
  type Event,
  type EventBody,
  emptyState,
  fold,
  HostError,
  type Json,
  type Message,
  type RunState,
  type SessionState,
  type Transcript,
  transcriptOf,
  type WaitKind,
  type WaitState,
} from "@holdfast/protocol";
import type { Policy } from "../../../base/policy.ts";
import { type Moments, moments } from "../../../testing/moments.ts";
import { rules } from "../index.ts";
import type { Decision, Rule } from "../rule.ts";

export interface StoryOptions {
  readonly policy?: Partial<Policy>;
  /** False for a session that does not exist yet. */
  readonly created?: boolean;
}

export class Story {
  state: SessionState = emptyState;
  readonly events: Event[] = [];
  readonly time: Moments;
  #secrets = 0;
  #questions = 0;

  constructor(policy?: Partial<Policy>) {
    this.time = moments(policy);
  }

  /** The rule's decision on the current state, without applying it. */
  decide<N extends CommandName>(name: N, input: CommandInput<N>): Decision {
    return (rules[name] as Rule<N>)(this.state, input, this.time.at());
  }

  /** Applies the command and returns the new events; throws on a refusal. */
  do<N extends CommandName>(name: N, input: CommandInput<N>): Event[] {
    const decision = this.decide(name, input);
    if (decision instanceof HostError) throw decision;
    return this.append(decision);
  }

  /** The refusal of a command; throws if the rule accepts it. */
  refused<N extends CommandName>(name: N, input: CommandInput<N>): HostError {
    const decision = this.decide(name, input);
    if (decision instanceof HostError) return decision;
    throw new Error(`${name} was not refused: ${decision.map((event) => event.kind).join(", ")}`);
  }

  append(bodies: readonly EventBody[]): Event[] {
    const ts = new Date(this.time.clock.now()).toISOString();
    const events = bodies.map((body, i) => ({ seq: this.state.seq + 1 + i, ts, ...body }) as Event);
    for (const event of events) this.state = fold(this.state, event);
    this.events.push(...events);
    return events;
  }

  get run(): RunState {
    if (this.state.run === null) throw new Error("There is no run yet.");
    return this.state.run;
  }

  /** The run's only open wait. */
  get wait(): WaitState {
    const [wait, other] = this.run.waits;
    if (wait === undefined || other !== undefined) {
      throw new Error(`${this.run.waits.length} waits are open.`);
    }
    return wait;
  }

  get derived(): Derived {
    return deriveStatus(this.state, this.time.at());
  }

  get transcript(): Transcript {
    return transcriptOf(this.events);
  }

  /** The message of the latest run's answer. */
  get answer(): Message {
    const id = answerId(this.run.id);
    const message = this.transcript.messages.find((one) => one.id === id);
    if (message === undefined) throw new Error(`No answer ${id}.`);
    return message;
  }

  count(kind: string): number {
    return this.events.filter((event) => event.kind === kind).length;
  }

  /** The run and attempt that an agent's reports name. */
  get who(): { runId: string; attempt: number } {
    return { runId: this.run.id, attempt: this.run.attempt.n };
  }

  create(input: Partial<CommandInput<"create">> = {}): this {
    const sessionId = this.time.at().newId("session");
    this.do("create", { sessionId, tenant: "t", title: "Title", agentName: "demo", ...input });
    return this;
  }

  prompt(content = "Do it", more: Partial<CommandInput<"prompt">> = {}): this {
    this.do("prompt", { content, ...more });
    return this;
  }

  /** The agent is ready and accepted the prompt. */
  launch(): this {
    this.do("agentReady", { agentSessionId: "agent-1", holderId: null });
    this.do("accept", { ...this.who, holderId: null });
    return this;
  }

  say(text: string): this {
    this.do("record", { ...this.who, output: [{ type: "text", text }] });
    return this;
  }

  tool(toolCallId: string, input: Json = {}): this {
    const started = {
      type: "tool_started",
      toolCallId,
      name: "Bash",
      input,
      gated: false,
    } as const;
    this.do("record", { ...this.who, output: [started] });
    return this;
  }

  finish(toolCallId: string, output = "done"): this {
    const finished = { type: "tool_finished", toolCallId, status: "completed", output } as const;
    this.do("record", { ...this.who, output: [finished] });
    return this;
  }

  complete(): this {
    this.do("complete", { ...this.who, stopReason: "end_turn" });
    return this;
  }

  cancel(): this {
    this.do("cancel", { runId: this.run.id });
    return this;
  }

  fail(code: string, status?: number): this {
    const error = {
      code,
      message: `It said ${code}.`,
      ...(status === undefined ? {} : { status }),
    };
    this.do("failAttempt", { ...this.who, error });
    return this;
  }

  /** Asks a question and returns its approval id. */
  ask(toolCallId: string, input: Json = {}, more: Partial<CommandInput<"requestApproval">> = {}) {
    const askedBy = { holderId: HOLDER, n: ++this.#questions };
    const token = this.secret();
    const toolName = "Bash";
    this.do("requestApproval", {
      ...this.who,
      toolCallId,
      toolName,
      input,
      askedBy,
      token,
      ...more,
    });
    return this.run.approvals.at(-1)?.id as string;
  }

  /** Opens a wait with a deadline in ten minutes, or without one for a person. */
  stand(kind: WaitKind, more: Partial<CommandInput<"openWait">> = {}): this {
    const deadlineAt = kind === "human" ? null : this.in(10 * 60_000);
    this.do("openWait", { ...this.who, kind, deadlineAt, token: this.secret(), ...more });
    return this;
  }

  secret(expiresAt: string | null = null): { hash: string; expiresAt: string | null } {
    return { hash: (++this.#secrets).toString(16).padStart(64, "0"), expiresAt };
  }

  /** The open wait's token, as a caller presents it. */
  token(wait: WaitState = this.wait): { id: string; runId: string; hash: string } {
    if (wait.token === null) throw new Error("The wait has no token.");
    return { id: wait.token.id, runId: this.run.id, hash: wait.token.hash };
  }

  in(ms: number): string {
    return new Date(this.time.clock.now() + ms).toISOString();
  }

  pass(ms: number): this {
    this.time.clock.advance(ms);
    return this;
  }

  reboot(): this {
    this.time.reboot();
    return this;
  }
}

export const HOLDER = `hold_${"0".repeat(32)}`;

export function story({ policy, created = true }: StoryOptions = {}): Story {
  const told = new Story(policy);
  return created ? told.create() : told;
}

export const kinds = (events: readonly { kind: string }[]): string[] =>
  events.map((event) => event.kind);
