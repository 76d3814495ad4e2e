/** One event of every kind, made from the schema, so that a new kind is tested automatically. */

import type { Event, EventBody } from "@holdfast/protocol";
import { eventBody } from "@holdfast/protocol/schemas";

interface Schema {
  readonly def: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly shape?: Readonly<Record<string, Schema>>;
}

function sample({ def, shape }: Schema): unknown {
  switch (def.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(shape ?? {}).map(([key, one]) => [key, sample(one)]),
      );
    case "literal":
      return (def.values as unknown[])[0];
    case "enum":
      return Object.values(def.entries as object)[0];
    case "number":
      return 1;
    case "boolean":
      return false;
    case "array":
      return [sample(def.element as Schema)];
    case "tuple":
      return (def.items as Schema[]).map(sample);
    case "record":
      return { path: "x" };
    case "nullable":
    case "optional":
      return sample(def.innerType as Schema);
    default:
      return "x";
  }
}

/** The `json` schema accepts anything, so a tool's input is set to an object like this. */
export const samples: readonly EventBody[] = eventBody.options.map((option) => {
  const body = sample(option as unknown as Schema) as Record<string, unknown>;
  for (const key of ["deadlineAt", "expiresAt", "since"]) {
    if (key in body) body[key] = "2026-11-15T00:00:00.000Z";
  }
  for (const key of ["blob", "inputBlob"]) {
    if (key in body) body[key] = { hash: "0".repeat(64), bytes: 1 };
  }
  if ("input" in body) body.input = { command: "x", args: ["x"], x: { path: "x" } };
  return eventBody.parse(body);
});

/** Copies of the event with `text` in one of its strings, one copy for every free-text string. */
export function withText(body: EventBody, text: string): EventBody[] {
  return placesOf(body).flatMap((place) => {
    const changed = structuredClone(body);
    put(changed, place, text);
    const parsed = eventBody.safeParse(changed);
    return parsed.success ? [changed] : [];
  });
}

type Place = readonly (string | number)[];

function placesOf(value: unknown, at: Place = []): Place[] {
  if (typeof value === "string") return [at];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => placesOf(one, [...at, key]));
}

function put(value: unknown, [key, ...rest]: Place, text: string): void {
  const record = value as Record<string, unknown>;
  if (key === undefined) return;
  if (rest.length === 0) record[key] = text;
  else put(record[key], rest, text);
}

export function stamped(bodies: readonly EventBody[], from = 1): Event[] {
  return bodies.map((body, i) => {
    const ts = new Date(Date.UTC(2026, 10, 15) + i * 1000).toISOString();
    return { seq: from + i, ts, ...body } as Event;
  });
}
