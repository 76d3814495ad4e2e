import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deriveStatus, foldAll, transcriptOf } from "@holdfast/protocol";
import { decodeEvents, eventBody } from "@holdfast/protocol/schemas";
import { describe, expect, it } from "vitest";
import { type Expected, hashOf, record } from "./record.ts";
import { stories } from "./stories.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const versions = readdirSync(here).filter((name) => /^v\d+$/.test(name));
const journals = versions.flatMap((version) =>
  readdirSync(join(here, version))
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => `${version}/${name.slice(0, -".jsonl".length)}`),
);

const read = (name: string) => ({
  events: decodeEvents(readFileSync(join(here, `${name}.jsonl`))),
  expected: JSON.parse(readFileSync(join(here, `${name}.expected.json`), "utf8")) as Expected,
});

/** The fields of `value` that `shape` has: fields that later versions added are left out. */
function as(shape: unknown, value: unknown): unknown {
  if (Array.isArray(shape) && Array.isArray(value))
    return value.map((item, i) => as(shape[i], item));
  if (typeof shape !== "object" || shape === null || Array.isArray(shape)) return value;
  const record = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(shape).map(([key, sub]) => [key, as(sub, record?.[key])]),
  );
}

describe("journals of every version so far", () => {
  it("are there", () => {
    expect(versions).toContain("v1");
    expect(journals.length).toBeGreaterThanOrEqual(20);
  });

  it.each(journals)("%s derives what it always did [P11] [R002-1]", (name) => {
    const { events, expected } = read(name);
    const state = foldAll(events);
    expect(as(expected.derived, deriveStatus(state, expected))).toEqual(expected.derived);
    expect(as(expected.state, state)).toEqual(expected.state);
    expect(hashOf(as(expected.state, state))).toBe(expected.stateHash);
    expect(as(expected.transcript, transcriptOf(events))).toEqual(expected.transcript);
  });

  it.each(journals)("%s derives the same after a restart at any event [P11] [R002-1]", (name) => {
    const { events, expected } = read(name);
    for (let cut = 0; cut <= events.length; cut++) {
      const base = JSON.parse(JSON.stringify(foldAll(events.slice(0, cut))));
      const text = JSON.parse(JSON.stringify(transcriptOf(events.slice(0, cut))));
      const tail = events.slice(cut);
      expect(hashOf(as(expected.state, foldAll(tail, base)))).toBe(expected.stateHash);
      expect(as(expected.transcript, transcriptOf(tail, text))).toEqual(expected.transcript);
    }
  });
});

describe("the stories", () => {
  it("hold every kind of event there is", () => {
    const told = new Set(
      Object.values(stories).flatMap((tell) => tell().events.map((e) => e.kind)),
    );
    const kinds = eventBody.options.map((option) => option.shape.kind.value);
    expect(kinds.filter((kind) => !told.has(kind))).toEqual([]);
  });

  it("are recorded the same each time, and never over a version that exists", () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-corpus-"));
    try {
      const [one, two] = [join(folder, "v1"), join(folder, "v2")];
      record(one);
      record(two);
      for (const name of readdirSync(one)) {
        expect(readFileSync(join(two, name), "utf8")).toBe(readFileSync(join(one, name), "utf8"));
      }
      expect(() => record(one)).toThrow("recorded already");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
