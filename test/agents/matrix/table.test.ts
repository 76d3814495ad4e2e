import { expect, test } from "vitest";
import { type KnownAgent, knownAgents } from "../known.ts";
import type { Cell } from "./cells.ts";
import { matrixOf, pageWith, rowsOf } from "./table.ts";

const [one, other] = knownAgents as [KnownAgent, KnownAgent];
const good = { rung: "native", grade: "verified", context: "native", problems: [] } as const;
const cell = (over: Partial<Cell> = {}): Cell => ({
  known: one,
  victim: "agent",
  phase: "turn",
  ...over,
});
const date = "2030-01-01";

test("the table has a row for each tried victim and a column for each phase, with untried cells left open", () => {
  const rows = rowsOf([{ cell: cell(), verdict: good }], date);
  const { name, version } = one.pin;
  const told = "native, verified, native";
  expect(rows).toEqual([[name, version, date, "agent", told, "–", "–", "–", "–"]]);
});

test.for([
  ["one that broke off", null],
  ["one with a problem", { ...good, problems: ["it was not so"] }],
] as const)("%s has failed", ([, verdict]) => {
  expect(rowsOf([{ cell: cell(), verdict }], date)[0]?.[4]).toBe("FAILED");
});

test("a loss is a row of its own", () => {
  const played = [cell(), cell({ loss: "files" })].map((cell) => ({ cell, verdict: good }));
  expect(rowsOf(played, date).map((row) => row[3])).toEqual([
    "agent",
    "agent, and its own files are lost",
  ]);
});

test("on the page only the agents that were tried get new rows, and the rest stays", () => {
  const rowsFor = (known: KnownAgent, when: string) =>
    rowsOf([{ cell: cell({ known }), verdict: good }], when);
  const page = pageWith("# Agents\n", [...rowsFor(one, "old"), ...rowsFor(other, "old")]);
  const raised = pageWith(`${page}\nMore words.\n`, rowsFor(other, "new"));
  expect(raised).toContain(matrixOf([...rowsFor(one, "old"), ...rowsFor(other, "new")]));
  expect(raised).toMatch(/^# Agents\n\n<!-- results/);
  expect(raised).toMatch(/<!-- \/results -->\n\nMore words\.\n$/);
});
