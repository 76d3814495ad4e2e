import { expect, test } from "vitest";
import { packFolded, unpackFolded } from "./folded.ts";
import { emptyState } from "./session.ts";
import { emptyTranscript } from "./transcript.ts";

test("a folded state comes back as it was, with what it did not know yet filled in", () => {
  const { recovery: _later, ...older } = { ...emptyState, seq: 7 };
  expect(unpackFolded(packFolded(older), emptyState)).toEqual({ ...emptyState, seq: 7 });
});

test("what an older version folded is read as it is meant now", () => {
  const old = {
    ...{ seq: 3, messages: [], receipts: [], agentSessionId: "a" },
    runs: [
      { id: "run_1", agentSessionId: "a" },
      { id: "run_2", agentSessionId: null },
    ],
  };
  const told = unpackFolded(JSON.stringify({ foldVersion: 1, folded: old }), emptyTranscript);
  expect(told.runs).toEqual([
    { id: "run_1", taken: [{ by: "a", toldFrom: null }] },
    { id: "run_2", taken: [] },
  ]);
  const { lastMessageId: _later, ...runtime } = emptyState.runtime;
  const state = JSON.stringify({ foldVersion: 1, folded: { ...emptyState, runtime } });
  expect(unpackFolded(state, emptyState).runtime).toEqual(emptyState.runtime);
});

test("a state folded by a newer version is refused, not misread", () => {
  const newer = JSON.stringify({ foldVersion: 99, folded: emptyState });
  expect(() => unpackFolded(newer, emptyState)).toThrow(/newer Holdfast/);
});
