/** What the host said no with, or that nobody answered, for a person. */

import { TransportError } from "@holdfast/client";

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

export function problemWords(error: unknown): string {
  if (error instanceof TransportError) return "The host did not answer. Try again when it is back.";
  return plainly(error instanceof Error ? error.message : String(error));
}

/** `body.workspace.path: must be …` names a field of the API; here it has another name. */
export function plainly(message: string): string {
  const [, path = "", rest = ""] = /^((?:body|query|params)[\w.]*): (.+)$/s.exec(message) ?? [];
  if (path === "") return message;
  const name = Object.hasOwn(fields, path) ? fields[path] : undefined;
  return name === undefined ? message : `${name} ${rest}`;
}
