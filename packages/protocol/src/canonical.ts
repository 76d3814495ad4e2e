import type { Json } from "./events.ts";

/** JSON with sorted keys, so that the same input is always shown and hashed as the same string. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(",")}]`;
  const record = value as { readonly [key: string]: Json };
  const members = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key] as Json)}`);
  return `{${members.join(",")}}`;
}
