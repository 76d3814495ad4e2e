import { expect, test } from "vitest";
import { agentRows } from "../../packages/server/src/agents/table/rows.ts";
import { pins } from "./pins.ts";

test("each row names the version that its agent is tested with", () => {
  const pinned = Object.values(pins).map(({ package: name, version }) => [name, version]);
  const rows = agentRows.flatMap(({ ways, tested }) =>
    ways.flatMap((way) => ("npm" in way && tested !== undefined ? [[way.npm, tested]] : [])),
  );
  expect(rows.sort()).toEqual(pinned.sort());
});
