import { ApiError, StreamError, TransportError } from "@holdfast/client";
import { HostError, refusalWords } from "@holdfast/protocol";
import { surroundings } from "./config.ts";
import { hint } from "./hint.ts";
import { print, say } from "./output/print.ts";

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  needsDecision: 4,
  interrupted: 130,
} as const;

/** An error of the CLI itself, as opposed to one of the host. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: "no_host" | "no_token" | "not_found" | "nothing_to_do";

  constructor(code: CliError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

export function usage(message: string): HostError {
  return new HostError("bad_input", message);
}

/** Prints an error for a person, or its stable code for a script; returns the exit code. */
export async function fail(error: unknown, json: boolean): Promise<number> {
  const known = codeOf(error);
  const code = known ?? "internal";
  const message = [messageOf(error), ...adviceOn(code)].join(" ");
  // When stdout is closed, stderr still shows the error.
  if (json) await print({ error: { code, message } }).catch(() => undefined);
  say(`holdfast: ${message}`);
  // An unexpected error is printed with its stack, for a bug report.
  if (known === null && error instanceof Error) {
    for (const line of (error.stack ?? "").split("\n").slice(1)) say(line);
  }
  if (code === "bad_input" || code === "agent_not_found") return exitCodes.usage;
  return isNotFound(error, code) ? exitCodes.notFound : exitCodes.failed;
}

/** Next steps that the host cannot know, because they depend on this command's environment. */
function adviceOn(code: string): string[] {
  if (code === "unauthorized" && surroundings().token !== undefined) {
    return ["The credential came from HOLDFAST_TOKEN. Correct that variable, or unset it."];
  }
  if (code === "forbidden" && surroundings().token !== undefined) {
    return ["The credential came from HOLDFAST_TOKEN. Unset it to use the host's own token."];
  }
  if (code === "agent_not_found") {
    return ["If you changed config.json, restart the host."];
  }
  return code === "data_locked" ? [`To stop a host: ${hint("stop")}`] : [];
}

function messageOf(error: unknown): string {
  if (codeOf(error) === "session_ended") {
    return `The session has ended: it can be read, but not changed. To start another: ${hint("run", '"…"')}`;
  }
  if (error instanceof ApiError) return commandsOf(refusalWords(error));
  return commandsOf(error instanceof Error ? error.message : String(error));
}

/** Rewrites commands in a host's message to the program name and data directory of this reader. */
function commandsOf(message: string): string {
  return message.replace(/(?<![\w/])holdfast (repair|link|doctor)\b(?! -)/g, (_, verb) =>
    hint(verb),
  );
}

function codeOf(error: unknown): string | null {
  if (error instanceof HostError || error instanceof CliError) return error.code;
  if (error instanceof ApiError || error instanceof StreamError) return error.code;
  return error instanceof TransportError ? "no_host" : null;
}

function isNotFound(error: unknown, code: string): boolean {
  return (error instanceof ApiError && error.status === 404) || code.endsWith("not_found");
}
