import { describe, expect, it } from "vitest";
import { type IdKind, idPrefixes, isId, makeId } from "./ids.ts";

const random = Uint8Array.from({ length: 10 }, (_, i) => i * 7);

describe("ids", () => {
  it("are a prefix and a UUIDv7 as 32 hex digits", () => {
    for (const kind of Object.keys(idPrefixes) as IdKind[]) {
      const id = makeId(kind, Date.parse("2026-01-01T00:00:00.000Z"), random);
      expect(id).toMatch(
        new RegExp(`^${idPrefixes[kind]}_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`),
      );
      expect(isId(kind, id)).toBe(true);
    }
  });

  it("sort by the time they were made", () => {
    const times = [1, 255, 256, 1e12, 1.7e12, 1.7e12 + 1];
    const ids = times.map((time) => makeId("run", time, random));
    expect(ids.toSorted()).toEqual(ids);
  });

  it("come out the same for the same time and randomness", () => {
    expect(makeId("session", 5, random)).toBe(makeId("session", 5, random));
  });

  it.each([
    ["another kind's prefix", `run_${"0".repeat(32)}`],
    ["upper case", `sess_${"A".repeat(32)}`],
    ["too short", `sess_${"0".repeat(31)}`],
    ["too long", `sess_${"0".repeat(33)}`],
    ["a line break at its end", `sess_${"0".repeat(32)}\n`],
    ["a path", "sess_../../../../../../etc/passwd"],
    ["nothing", ""],
    ["no text at all", { toString: () => `sess_${"0".repeat(32)}` }],
    ["null", null],
  ])("refuse %s", (_, value) => {
    expect(isId("session", value)).toBe(false);
  });
});
