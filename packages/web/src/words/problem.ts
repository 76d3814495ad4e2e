/** What the host said no with, or that nobody answered, for a person. */

import { TransportError } from "@holdfast/client";

const FIELD = /^((?:body|query|params)[\w.]*): (.+)$/s;

/** The parts of a request by what the page calls them. */
const fields: Readonly<Record<string, string>> = {
  "body.workspace.path": "The workspace",
  "body.workspace": "The workspace",
  "body.message": "The message",
  "body.content": "The message",
  "body.agent": "The agent",
  "body.model": "The model",
  "body.title": "The title",
};

/** The part of the request that it was about, as the API calls it; null when it was about none. */
export function problemField(error: unknown): string | null {
  return error instanceof Error ? (FIELD.exec(error.message)?.[1] ?? null) : null;
}

/** A path that the host would refuse, and why; what lies there only the host knows. */
export function pathProblem(path: string): string | null {
  if (path === "" || path.startsWith("/")) return null;
  return "Not an absolute path: it must begin with /, as in /home/you/project.";
}

export function problemWords(error: unknown): string {
  if (error instanceof TransportError) return "The host did not answer. Try again when it is back.";
  return plainly(error instanceof Error ? error.message : String(error));
}

/** `body.workspace.path: must be …` names a field of the API; here it has another name. */
export function plainly(message: string): string {
  const [, path = "", rest = ""] = FIELD.exec(message) ?? [];
  if (path === "") return message;
  const name = Object.hasOwn(fields, path) ? fields[path] : undefined;
  return name === undefined ? message : `${name} ${rest}`;
}
