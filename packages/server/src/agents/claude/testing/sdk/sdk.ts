/**
 * A fake SDK. It plays the script in its prompt, has a child process that lives as long as its
 * stdin is open, and logs its queries. Tests provide its transcripts.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { directory } from "./config.ts";

export type Step =
  | { readonly say: unknown }
  /** Asks for permission, then uses the tool with the allowed input. */
  | { readonly ask: { readonly id: string; readonly name: string; readonly input: object } }
  /** Waits until it is interrupted or aborted; `deaf` ignores interrupts. */
  | { readonly wait: "interrupt" | "deaf" }
  | { readonly fail: string }
  /**
   * Has a child that ignores the end of its stdin; on SIGTERM `polite` writes `asked` and exits,
   * `stubborn` ignores it.
   */
  | { readonly child: keyof typeof children }
  /** Throws an error that no caller catches. */
  | { readonly stray: string };

interface Options {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly sessionId?: string;
  readonly forkSession?: boolean;
  readonly abortController: AbortController;
  readonly canUseTool: (name: string, input: object, about: object) => Promise<Answer>;
  readonly spawnClaudeCodeProcess: (wish: object) => ChildProcess;
}

interface Answer {
  readonly behavior: string;
  readonly updatedInput?: object;
  readonly message?: string;
}

interface Params {
  readonly prompt: AsyncIterable<{ message: { content: { text: string }[] } }>;
  readonly options: Options;
}

export function query(params: Params) {
  const interrupted = Promise.withResolvers<void>();
  const interrupt = async () => interrupted.resolve();
  return Object.assign(play(params, interrupted.promise), { interrupt });
}

export async function getSessionMessages(sessionId: string): Promise<unknown> {
  return existsSync(transcript(sessionId))
    ? JSON.parse(readFileSync(transcript(sessionId), "utf8"))
    : [];
}

const children = {
  stubborn: "trap '' TERM; echo ready; exec tail -f /dev/null",
  polite: `trap 'echo asked > "$CLAUDE_CONFIG_DIR/ended"; exit' TERM; echo ready; while :; do sleep 0.1; done`,
};

const transcript = (sessionId: string) => join(directory, `${sessionId}.json`);

async function* play({ prompt, options }: Params, interrupted: Promise<void>) {
  const input = prompt[Symbol.asyncIterator]();
  const { value } = await input.next();
  const { text } = value.message.content[0];
  note({ prompt: value.message.content, options });
  if (options.sessionId && !options.forkSession && existsSync(transcript(options.sessionId))) {
    await refuse(options, `Error: Session ID ${options.sessionId} is already in use.`);
  }
  const script = JSON.parse(text) as Step[];
  const wanted = script.find((step) => "child" in step);
  const child = spawned(options, "sh", ["-c", wanted ? children[wanted.child] : "exec cat"]);
  const gone = new Promise((resolve) => child.once("close", resolve));
  if (wanted && child.stdout) await once(child.stdout, "data");
  yield { type: "system", subtype: "init", pid: child.pid };
  for (const step of script) yield* perform(step, options, interrupted);
  await Promise.race([input.next(), aborted(options)]);
  child.stdin?.end();
  await gone;
}

async function* perform(step: Step, options: Options, interrupted: Promise<void>) {
  if ("say" in step) yield step.say;
  else if ("fail" in step) throw new Error(step.fail);
  else if ("stray" in step) {
    setImmediate(() => {
      throw new Error(step.stray);
    });
    void Promise.reject(new Error(step.stray));
  } else if ("ask" in step) yield await use(step.ask, options);
  else if ("wait" in step) {
    await Promise.race([aborted(options), ...(step.wait === "deaf" ? [] : [interrupted])]);
    note({ stopped: options.abortController.signal.aborted ? "aborted" : "interrupted" });
    if (options.abortController.signal.aborted)
      throw new Error("Claude Code process aborted by user");
    yield {
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
      errors: ["stopped"],
    };
  }
}

async function use(
  { id, name, input }: { id: string; name: string; input: object },
  { canUseTool, abortController }: Options,
) {
  const asked = canUseTool(name, input, { toolUseID: id, signal: abortController.signal });
  // Changing the input after the request must not change what was asked.
  Object.assign(input, { changed: "while it was asked" });
  const answer = await asked;
  note({ answer });
  const isAllowed = answer.behavior === "allow";
  const content = isAllowed ? `used with ${JSON.stringify(answer.updatedInput)}` : answer.message;
  const block = { type: "tool_result", tool_use_id: id, content, is_error: !isAllowed };
  return { type: "user", message: { role: "user", content: [block] }, parent_tool_use_id: null };
}

/** Fails like the real SDK: the reason appears only on stderr, and the process exits. */
async function refuse(options: Options, words: string): Promise<never> {
  const child = spawned(options, "sh", ["-c", `echo '${words}' >&2; exit 1`]);
  await once(child, "close");
  throw new Error("Claude Code process exited with code 1");
}

function spawned(
  { spawnClaudeCodeProcess, cwd, env, abortController }: Options,
  command: string,
  args: string[],
) {
  const child = spawnClaudeCodeProcess({ command, args, cwd, env, signal: abortController.signal });
  child.on("error", () => undefined);
  return child;
}

async function aborted({ abortController: { signal } }: Options): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

function note(entry: object): void {
  appendFileSync(join(directory, "asked.jsonl"), `${JSON.stringify(entry)}\n`);
}
