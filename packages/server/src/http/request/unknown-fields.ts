/** Describes unknown fields of a body beside the known ones, so that a typo is not lost silently. */

import type { FieldProblem } from "@holdfast/protocol";
import { z } from "zod";

/** Limits for the message: it repeats at most this many names, each at most this long. */
const MOST = 5;
const LONGEST = 100;

/** Null when the issue has another cause. */
export function unknownFields(
  where: string,
  schema: z.ZodType,
  issue: z.core.$ZodIssue,
): FieldProblem | null {
  if (issue.code !== "unrecognized_keys") return null;
  const place = [where, ...issue.path.map(String)];
  const names = issue.keys
    .slice(0, MOST)
    .map((key) => [...place, key.slice(0, LONGEST).toWellFormed()].join("."));
  const known = fieldsAt(schema, issue.path).join(", ") || "none";
  return { path: names.join(", "), reason: `unknown. Known fields: ${known}` };
}

function fieldsAt(schema: z.ZodType, [first, ...rest]: readonly PropertyKey[]): string[] {
  const object = unwrapped(schema);
  if (!(object instanceof z.ZodObject)) return [];
  if (first === undefined) return Object.keys(object.shape);
  const inner: z.ZodType | undefined = object.shape[String(first)];
  return inner === undefined ? [] : fieldsAt(inner, rest);
}

/** Removes wrappers such as `optional`. */
function unwrapped(schema: z.ZodType): z.ZodType {
  return "unwrap" in schema && typeof schema.unwrap === "function"
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
}
