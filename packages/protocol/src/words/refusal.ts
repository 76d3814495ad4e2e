/** A host's refusal in words for a person, who does not know the names of request fields. */

import type { FieldProblem } from "../errors.ts";

/** Request fields by their names on the page and in commands. */
const fields: Readonly<Record<string, string>> = {
  "body.workspace.path": "The workspace",
  "body.workspace": "The workspace",
  "body.message": "The message",
  "body.content": "The message",
  "body.agent": "The agent's name",
  "body.model": "The model's name",
  "body.title": "The title",
  "body.reason": "The reason",
};

export interface Refused {
  readonly message: string;
  readonly field?: FieldProblem | null | undefined;
}

export function refusalWords({ message, field }: Refused): string {
  if (field == null) return message;
  const { path, reason } = field;
  // The first word is the part of the request: `body`, `query` or `params`.
  const inside = path.split(".").slice(1).join(" ");
  const name = Object.hasOwn(fields, path) ? fields[path] : inside || path;
  return `${name} ${reason}${reason.endsWith(".") ? "" : "."}`;
}
