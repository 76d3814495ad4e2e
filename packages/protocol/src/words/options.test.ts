import { expect, test } from "vitest";
import { ownOptions } from "./options.ts";

const usual = [
  { id: "a", kind: "allow_once", name: "Allow" },
  { id: "b", kind: "allow_always", name: "Always Allow" },
  { id: "c", kind: "reject_once", name: "Reject" },
];

test("the usual options of a command are our own buttons", () => {
  expect(ownOptions(usual, "command")).toEqual([]);
  expect(ownOptions([], "plan")).toEqual([]);
});

test("a plan and a question keep the agent's options, in its order and its words", () => {
  expect(ownOptions(usual, "plan").map(({ name, decision }) => [name, decision])).toEqual([
    ["Allow", "allow"],
    ["Always Allow", "allow"],
    ["Reject", "deny"],
  ]);
});

test("several options of one meaning are offered, and those without a meaning are not", () => {
  const more = [...usual, { id: "d", kind: "allow_once", name: "Allow, but dry" }];
  const strange = { id: "e", kind: "other", name: "?" };
  expect(ownOptions([...more, strange], "command").map(({ id }) => id)).toEqual([
    ...["a", "b", "c", "d"],
  ]);
});
