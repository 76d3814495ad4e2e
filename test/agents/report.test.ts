import { expect, test } from "vitest";
import { columns, problemsOf, rowOf, tableOf } from "./report.ts";

const pin = { name: "some", package: "some", version: "1.2.3" };
const good = {
  startMs: 1,
  newMs: 2,
  restartMs: 3,
  loadMs: 4,
  advertised: ["load"],
  replayed: [],
  permissionAsked: true,
  fileWritten: true,
  missing: [],
};

test("an agent that asked, wrote and remembered has no problems", () => {
  expect(problemsOf(good)).toEqual([]);
});

test("each missing behaviour of an agent is a separate problem", () => {
  const bad = {
    ...good,
    permissionAsked: false,
    fileWritten: false,
    missing: ["prompt", "answer"],
  };
  expect(problemsOf(bad)).toHaveLength(4);
});

test("an agent that could not be tried still has its line", () => {
  const [, , ...lines] = tableOf(columns, [rowOf(pin, null), rowOf(pin, good)]).split("\n");
  const cells = lines.map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
  expect(cells).toEqual([
    ["some", "1.2.3", "–", "–", "–", "–", "–", "–"],
    ["some", "1.2.3", "1", "2", "3", "4", "yes", "yes"],
  ]);
});
