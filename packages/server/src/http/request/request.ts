/** Parses a request by its route's schemas. Invalid input is refused before any handler runs. */

import { HostError, type RouteSpec } from "@holdfast/protocol";
import type { Context } from "hono";
import type { z } from "zod";
import { unknownFields } from "./unknown-fields.ts";

const MAX_KEY = 200;
const MEGABYTE = 2 ** 20;
/** Values in one body: validating 480,000 of them took 2.6 s, while every other caller waited. */
const MAX_VALUES = 20_000;

export interface Parsed {
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
}

export async function readRequest(context: Context, route: RouteSpec): Promise<Parsed> {
  return {
    query: route.query && parseFields("query", route.query, context.req.query()),
    body: route.body && parseFields("body", route.body, await readJson(context)),
    idempotencyKey: readKey(context),
  };
}

/** Returns undefined for an empty body, which some routes allow. */
async function readJson(context: Context): Promise<unknown> {
  const text = await context.req.text();
  if (text === "") return undefined;
  const value = parsed(text);
  if (hasMoreValues(value, MAX_VALUES)) {
    throw new HostError(
      "too_large",
      `A body may have at most ${MAX_VALUES} values. Send fewer, or send them as one string.`,
    );
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    throw new HostError("bad_input", "The body is not JSON. Correct it and send it again.");
  }
}

/** Counts breadth-first and stops at the limit, so that neither depth nor number can cost more. */
function hasMoreValues(value: unknown, limit: number): boolean {
  const found = [value];
  for (let next = 0; next < found.length; next++) {
    const item = found[next];
    if (typeof item !== "object" || item === null) continue;
    for (const key in item) {
      if (found.length > limit) return true;
      found.push((item as Record<string, unknown>)[key]);
    }
  }
  return false;
}

function readKey(context: Context): string | undefined {
  const key = context.req.header("idempotency-key");
  if (key === undefined || (key !== "" && key.length <= MAX_KEY)) return key;
  throw new HostError("bad_input", `Idempotency-Key must have 1 to ${MAX_KEY} characters.`);
}

/** Parses `value`, which errors call `where`, by a schema of the route table. */
export function parseFields<T>(where: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 5).map((issue) => {
    const path = [where, ...issue.path.map(String)].join(".");
    return unknownFields(where, schema, issue) ?? { path, reason: reasonOf(issue) };
  });
  const said = problems.map(({ path, reason }) => `${path}: ${reason}`).join("; ");
  const [field] = problems;
  throw new HostError(
    "bad_input",
    `${said}. Correct it and send it again; nothing was changed.`,
    field === undefined ? {} : { field },
  );
}

/** The validator's message, with plain words for the length of a text. */
function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_small" && issue.origin === "string" && issue.minimum === 1) {
    return "is empty";
  }
  if (issue.code !== "too_big" || issue.origin !== "string") return issue.message;
  const { maximum } = issue;
  return `is too long: at most ${maximum === MEGABYTE ? "1 MB" : `${maximum} characters`}`;
}

/** Refuses one field of a body that fits the schema. */
export function badField(path: string, reason: string): HostError {
  return new HostError("bad_input", `${path}: ${reason}`, { field: { path, reason } });
}
