/**
 * An agent inside this process that plays a script, for tests of everything around an agent. It
 * keeps no state between turns and runs each step when the next output is pulled.
 */

import type { ApprovalDecision, Json } from "@holdfast/protocol";
import type { Agent, AgentSays, Prompt, Turn } from "../agents/agent.ts";

export type Step =
  | AgentSays
  /** Asks for permission, then continues with the `allowed` or `denied` steps. */
  | {
      readonly type: "ask";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
      readonly allowed: readonly Step[];
      readonly denied: readonly Step[];
    }
  /** Opens an external wait and continues when resumed. */
  | {
      readonly type: "await";
      readonly kind: "tool_result" | "external";
      readonly deadlineAt: string;
    }
  /**
   * Stays silent until the test releases it, or it is cancelled or killed; a deaf one ignores the
   * cancel.
   */
  | { readonly type: "stall"; readonly until?: Promise<unknown>; readonly deaf?: boolean }
  /** Ends the stream as a dead process would. */
  | { readonly type: "die" };

export type Script = (prompt: Prompt) => readonly Step[] | AsyncIterable<Step>;

export interface ScriptedAgent extends Agent {
  /** All prompts in order; tests count them to see that each ran once. */
  readonly prompts: readonly Prompt[];
}

export function scriptedAgent(name: string, script: Script): ScriptedAgent {
  const prompts: Prompt[] = [];
  return {
    name,
    prompts,
    prompt(prompt) {
      prompts.push(prompt);
      return play(script(prompt));
    },
  };
}

export const text = (value: string): Step => ({ type: "text", text: value });
export const thinking = (value: string): Step => ({ type: "thinking", text: value });
export const done = (stopReason = "end_turn"): Step => ({ type: "ended", stopReason });
export const failed = (code: string, message: string, status?: number): Step => ({
  type: "failed",
  error: { code, message, ...(status === undefined ? {} : { status }) },
});
export const tool = (toolCallId: string, name: string, input: Json, output: string): Step[] => [
  { type: "tool_started", toolCallId, name, input, gated: false },
  { type: "tool_finished", toolCallId, status: "completed", output },
];

function play(steps: readonly Step[] | AsyncIterable<Step>): Turn {
  const answers = new Map<string, Deferred<ApprovalDecision>>();
  const resumed = deferred<Json>();
  const stopped = deferred<"cancel" | "kill">();
  const killed = deferred<void>();
  const answerOf = (id: string) => {
    const known = answers.get(id) ?? deferred<ApprovalDecision>();
    answers.set(id, known);
    return known;
  };

  async function* run(list: readonly Step[] | AsyncIterable<Step>): AsyncGenerator<AgentSays> {
    for await (const step of list) {
      if (stopped.value !== undefined) return;
      switch (step.type) {
        case "ask": {
          yield { ...step, type: "permission" };
          const decision = await Promise.race([answerOf(step.toolCallId).promise, stopped.promise]);
          if (decision === "cancel" || decision === "kill") return;
          yield* run(decision === "deny" ? step.denied : step.allowed);
          break;
        }
        case "await":
          yield { ...step, type: "waiting" };
          await Promise.race([resumed.promise, stopped.promise]);
          break;
        case "stall":
          await Promise.race([
            step.until ?? new Promise(() => undefined),
            step.deaf === true ? killed.promise : stopped.promise,
          ]);
          break;
        case "die":
          return;
        default:
          yield step;
      }
    }
  }

  async function* says(): AsyncGenerator<AgentSays> {
    yield { type: "ready", agentSessionId: null };
    yield { type: "accepted" };
    yield* run(steps);
    if (stopped.value === "cancel") yield { type: "ended", stopReason: "cancelled" };
  }

  const stream = says();
  return {
    says: stream,
    answer: (id, decision) => answerOf(id).resolve(decision),
    resume: (result) => resumed.resolve(result),
    cancel: () => stopped.resolve("cancel"),
    async kill() {
      stopped.resolve("kill");
      killed.resolve();
      await stream.return(undefined);
    },
  };
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  value: T | undefined;
}

function deferred<T>(): Deferred<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const self: Deferred<T> = {
    promise,
    value: undefined,
    resolve(value) {
      self.value ??= value;
      resolve(value);
    },
  };
  return self;
}
