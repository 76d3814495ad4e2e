/** Exit codes and errors of the commands. */

import { ApiError, StreamError, TransportError } from "@holdfast/client";
import { HostError } from "@holdfast/protocol";
import { surroundings } from "./config.ts";
import { hint } from "./hint.ts";
import { print, say } from "./print.ts";

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
  if (code === "bad_input") return exitCodes.usage;
  return isNotFound(error, code) ? exitCodes.notFound : exitCodes.failed;
}

/** Next steps that the host cannot know, because they depend on this command's environment. */
function adviceOn(code: string): string[] {
  if (code === "unauthorized" && surroundings().token !== undefined) {
    return ["The credential came from HOLDFAST_TOKEN: correct that variable, or unset it."];
  }
  if (code === "forbidden" && surroundings().token !== undefined) {
    return ["The credential came from HOLDFAST_TOKEN: without it the host's own token is used."];
  }
  if (code === "agent_not_found") {
    return ["config.json is read when the host starts: after a change to it, restart the host."];
  }
  return code === "data_locked" ? [`To stop a host: ${hint("stop")}`] : [];
}

/**
 * The message without the field's path in the request, which means little to the person who typed a
 * command.
 */
function messageOf(error: unknown): string {
  const message = commandsOf(error instanceof Error ? error.message : String(error));
  if (!(error instanceof ApiError) || error.code !== "bad_input") return message;
  const [, field, rest] = /^(?:body|query|params)\.([\w.]+): (.*)$/s.exec(message) ?? [];
  if (field === undefined || rest === undefined) return message;
  const said = lengthWords(rest.replace(/ ?Correct it and send it again[^.]*\.$/, ""));
  const name = fieldWords[field] ?? field.replaceAll(".", " ");
  return `${name} ${said}${said.endsWith(".") ? "" : "."}`;
}

/** A validator's message about the length of a text, in plain words. */
function lengthWords(said: string): string {
  if (/^Too small: expected string to have >=1 characters\.?$/.test(said)) return "is empty.";
  const [, most] = /^Too big: expected string to have <=(\d+) characters\.?$/.exec(said) ?? [];
  if (most === undefined) return said;
  return `is too long: at most ${Number(most) === 2 ** 20 ? "1 MB" : `${most} characters`}.`;
}

/** Rewrites commands in a host's message to the program name and data directory of this reader. */
function commandsOf(message: string): string {
  return message.replace(/(?<![\w/])holdfast (repair|link|doctor)\b(?! -)/g, (_, verb) =>
    hint(verb),
  );
}

const fieldWords: Readonly<Record<string, string>> = {
  content: "The message",
  message: "The message",
  title: "The title",
  "workspace.path": "The workspace",
  agent: "The agent's name",
  model: "The model's name",
  reason: "The reason",
};

function codeOf(error: unknown): string | null {
  if (error instanceof HostError || error instanceof CliError) return error.code;
  if (error instanceof ApiError || error instanceof StreamError) return error.code;
  return error instanceof TransportError ? "no_host" : null;
}

function isNotFound(error: unknown, code: string): boolean {
  return (error instanceof ApiError && error.status === 404) || code.endsWith("not_found");
}
