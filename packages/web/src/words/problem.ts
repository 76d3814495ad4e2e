/** A refusal or a failed request, in words for a person. */

import { TransportError } from "@holdfast/client";

const FIELD = /^((?:body|query|params)[\w.]*): (.+)$/s;

/** Request fields by their names on the page. */
const fields: Readonly<Record<string, string>> = {
  "body.workspace.path": "The workspace",
  "body.workspace": "The workspace",
  "body.message": "The message",
  "body.content": "The message",
  "body.agent": "The agent",
  "body.model": "The model",
  "body.title": "The title",
};

/**
 * The request field that the error is about, by its API name; null when it is about no single
 * field.
 */
export function problemField(error: unknown): string | null {
  return error instanceof Error ? (FIELD.exec(error.message)?.[1] ?? null) : null;
}

/**
 * Why the host would refuse the path; null if it may be valid. Only the host knows what is there.
 */
export function pathProblem(path: string): string | null {
  if (path === "" || path.startsWith("/")) return null;
  return "Not an absolute path: it must begin with /, as in /home/you/project.";
}

export function problemWords(error: unknown): string {
  if (error instanceof TransportError) return "The host did not answer. Try again when it is back.";
  return plainly(error instanceof Error ? error.message : String(error));
}

/** Replaces the API's field name in `body.workspace.path: must be …` by the page's name for it. */
export function plainly(message: string): string {
  const [, path = "", rest = ""] = FIELD.exec(message) ?? [];
  if (path === "") return message;
  const name = Object.hasOwn(fields, path) ? fields[path] : undefined;
  return name === undefined ? message : `${name} ${rest}`;
}
