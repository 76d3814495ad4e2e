import { foldAll, type SessionState } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { recorded } from "../../test/corpus.ts";
import { isConfirmed } from "./confirmed.ts";
import type { Action } from "./item.ts";
import type { OutboxItem } from "./outbox.ts";

const { events } = recorded("approval-pending");
const state = foldAll(events);
const asked = state.run?.approvals[0];
const runId = state.run?.id ?? "";

const item = (action: Action, change: Partial<OutboxItem> = {}): OutboxItem => ({
  n: 1,
  id: "key",
  session: "s",
  action,
  refusal: null,
  state: "sending",
  problem: null,
  mayHaveArrived: true,
  ...change,
});
const message = (change?: Partial<OutboxItem>) => item({ type: "message", content: "hi" }, change);
const answer = item({
  type: "approval",
  runId,
  approvalId: asked?.id ?? "",
  decision: "allow",
  digest: asked?.digest ?? "",
});
const cancel = item({ type: "cancel", runId });

test("an accepted item is confirmed at its seq, and not before", () => {
  const accepted = message({ state: "accepted", seq: state.seq });
  expect(isConfirmed(accepted, state)).toBe(true);
  expect(isConfirmed(accepted, { ...state, seq: state.seq - 1 })).toBe(false);
});

test("a message that the journal has is confirmed before its answer, by its id", () => {
  const clients = [{ clientId: "key", messageId: "m", seq: 3 }];
  expect(isConfirmed(message(), { ...state, clients })).toBe(true);
  expect(isConfirmed(message({ id: "another" }), { ...state, clients })).toBe(false);
  const unsure = message({ state: "waiting" });
  expect(isConfirmed(unsure, { ...state, clients })).toBe(true);
  expect(isConfirmed({ ...unsure, mayHaveArrived: false }, { ...state, clients })).toBe(false);
});

test("an answer and a stop are confirmed when their question is closed and their run stops", () => {
  expect(isConfirmed(answer, state)).toBe(false);
  expect(isConfirmed(cancel, state)).toBe(false);
  const { run } = state;
  if (run === null) throw new Error("The story has an open run.");
  const decided: SessionState = {
    ...state,
    run: { ...run, approvals: run.approvals.map((one) => ({ ...one, decision: "allow" })) },
  };
  expect(isConfirmed(answer, decided)).toBe(true);
  expect(isConfirmed(cancel, { ...state, run: { ...run, outcome: "completed" } })).toBe(true);
});

test("a refused item is never confirmed: its person must see it", () => {
  const clients = [{ clientId: "key", messageId: "m", seq: 3 }];
  const refusal = { code: "client_id_used", message: "Another message has this id." };
  expect(isConfirmed(message({ state: "refused", refusal }), { ...state, clients })).toBe(false);
});
