/** Parses a host's messages and checks the fields that the holder itself uses. */

import { isCarried } from "./agent/gate.ts";
import type { HostSays } from "./spool/frames.ts";

/** The message, or the reason why it is invalid. */
export function parseHostSays(text: string): HostSays | string {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return "A message is one line of JSON.";
  }
  if (!isRecord(said)) return "A message is an object.";
  const wrong = problemOf(said);
  return wrong ?? (said as HostSays);
}

function problemOf(said: Record<string, unknown>): string | null {
  switch (said.t) {
    case "hello":
      return isCount(said.acked) && Number.isSafeInteger(said.epoch)
        ? null
        : "hello needs an epoch and the last acknowledged frame.";
    case "ack":
      return isCount(said.n) ? null : "ack needs the number of a frame.";
    case "launch":
      return isText(said.key) ? specProblem(said.spec) : "launch needs a key.";
    case "request":
    case "notify":
      return isText(said.key) && isText(said.method) ? null : `${said.t} needs a key and a method.`;
    case "answer":
      return isText(said.key) && isCount(said.to) ? null : "answer needs a key and a frame.";
    case "freeze":
      return isText(said.key) && (said.limitMs === undefined || isCount(said.limitMs))
        ? null
        : "freeze needs a key, and its limit is in milliseconds.";
    case "thaw":
      return isText(said.key) ? null : "thaw needs a key.";
    case "end":
      return isEnding(said.ending) ? null : "end needs its times.";
    default:
      return `There is no message ${JSON.stringify(said.t)}.`;
  }
}

function specProblem(spec: unknown): string | null {
  if (!isRecord(spec) || !isText(spec.command) || !isText(spec.cwd)) {
    return "launch needs a command and a directory.";
  }
  if (!Array.isArray(spec.args) || !spec.args.every(isText)) return "launch needs arguments.";
  if (!isRecord(spec.env) || !Object.values(spec.env).every(isText)) {
    return "launch needs an environment.";
  }
  const name = Object.keys(spec.env).find((candidate) => !isCarried(candidate));
  return name === undefined
    ? null
    : `A variable named ${JSON.stringify(name)} cannot be passed on.`;
}

export function keyIn(text: string): string | null {
  try {
    const said: unknown = JSON.parse(text);
    return isRecord(said) && isText(said.key) ? said.key : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A zero byte would cut arguments and environment variables short. */
function isText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0");
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isEnding(value: unknown): boolean {
  return isRecord(value) && isCount(value.stdinMs) && isCount(value.termMs);
}
