import type { OutboxItem } from "@holdfast/client";
import {
  type EventBody,
  emptyState,
  fold,
  latestRun,
  type StatusView,
  sessionView,
} from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import * as f from "../../../gallery/fixtures.ts";
import {
  bannerOf,
  pausedOf,
  type SessionMoment,
  sendingOf,
  standingKey,
  stopOf,
} from "./allowed-actions.ts";

const EPOCH = 3;
const live = { state: "live", via: "socket" } as const;
const away = { state: "away", reason: "x", retryInMs: 1 } as const;

function standing(...bodies: readonly EventBody[]): SessionMoment {
  const events = f.journal(...bodies.map((body) => [9, body] as const));
  const state = events.reduce(fold, emptyState);
  const moment = { epoch: EPOCH };
  return { state, session: sessionView(state, moment), run: latestRun(state, moment) };
}

const up: EventBody = {
  kind: "agent.ready",
  agentSessionId: "a",
  holderId: null,
  epoch: EPOCH,
};
const running = [up, f.asked("Go"), f.started()] as const;
const paused: EventBody = { kind: "run.paused", runId: f.RUN, reason: "explicit" };
const putAway: EventBody = { kind: "session.paused", reason: "explicit" };
const cancel: EventBody = { kind: "run.cancel_requested", runId: f.RUN, by: "me" };
const cancelled: EventBody = { kind: "run.cancelled", runId: f.RUN, reason: "asked" };
const cut: EventBody = {
  kind: "run.interrupted",
  runId: f.RUN,
  reason: "process_restart",
  bootId: "b",
};
const dismissed: EventBody = { kind: "run.dismissed", runId: f.RUN };
const ended: EventBody = { kind: "session.ended", reason: "explicit" };

const status = (change: Partial<StatusView>): StatusView => ({
  lifecycle: "paused",
  status: "idle",
  runtime: f.session().runtime,
  needsResume: true,
  isResumable: true,
  reason: "agent_not_running",
  nextRung: "native",
  workspaceOk: true,
  run: null,
  wait: null,
  notice: null,
  words: {
    generationStatus: "idle",
    generation: null,
    isActive: true,
    session: "WAITING_FOR_INPUT",
    task: "REVIEW",
  },
  ...change,
});

const kept: OutboxItem = {
  n: 1,
  id: "a",
  session: "s",
  refusal: null,
  state: "waiting",
  problem: null,
  action: { type: "cancel", runId: f.RUN },
};

describe("the stop button", () => {
  test.each([
    ["none", []],
    ["can", [...running]],
    ["can", [...running, paused, putAway]],
    ["stopping", [...running, cancel]],
    ["none", [...running, cancel, cancelled]],
  ] as const)("is %s", (stop, events) => {
    expect(stopOf(standing(...events), [])).toBe(stop);
  });

  test("is kept while the stop waits in the outbox, and returns when the stop was refused", () => {
    expect(stopOf(standing(...running), [kept])).toBe("kept");
    const refused = { ...kept, refusal: { code: "not_open", message: "Over." } };
    expect(stopOf(standing(...running), [refused])).toBe("can");
  });
});

test.each([
  ["start", [up]],
  ["queue", [...running]],
  ["resume", [...running, paused, putAway]],
  ["behind_paused", [...running, { ...paused, reason: "waiting" }]],
  ["wake", [up, putAway]],
  ["leave", [...running, cut]],
  ["start", [...running, cut, dismissed]],
  ["ended", [up, ended]],
] as const)("the composer says that a message would %s", (sending, events) => {
  expect(sendingOf(standing(...events), live)).toBe(sending);
});

test("while the host is offline a message goes to the outbox, but an ended session takes none", () => {
  expect(sendingOf(standing(...running), away)).toBe("outbox");
  expect(sendingOf(standing(up, ended), away)).toBe("ended");
});

describe("a paused session", () => {
  test("[R003-57] has a paused run, with the rung that a resume would use", () => {
    const shown = pausedOf(standing(...running, paused, putAway), status({}));
    expect(shown).toEqual({
      is: "run",
      why: "paused by a person",
      canResume: true,
      hindrance: null,
      nextRung: "native",
    });
  });

  test("offers no resume that the host would refuse, and says why", () => {
    const notice = { code: "workspace_missing", message: "Its workspace is gone." };
    const asleep = standing(up, putAway);
    expect(pausedOf(asleep, status({ isResumable: false, notice }))).toMatchObject({
      is: "asleep",
      canResume: false,
      hindrance: notice.message,
    });
    const isUp = status({ needsResume: false, reason: "already_running" });
    expect(pausedOf(asleep, isUp)).toMatchObject({ canResume: false });
    const neverUp = status({ needsResume: false, reason: null });
    expect(pausedOf(asleep, neverUp)).toMatchObject({ canResume: true });
    expect(pausedOf(asleep, null)).toMatchObject({ canResume: false, hindrance: null });
  });

  test("is not called paused when its idle agent was killed, and says so", () => {
    const killed: EventBody = { kind: "agent.exited", reason: "SIGKILL" };
    expect(pausedOf(standing(up, killed), status({}))).toMatchObject({
      is: "not_running",
      why: "the agent's process was killed",
    });
  });

  test("shows that the folder of a live agent is gone, and offers a resume while it is idle", () => {
    const notice = { code: "workspace_missing", message: "Its folder is gone." };
    const gone = status({ reason: "already_running", workspaceOk: false, notice });
    const shown = { is: "folder_gone", hindrance: notice.message };
    expect(pausedOf(standing(up), gone)).toMatchObject({ ...shown, canResume: true });
    const own = { ...gone, isResumable: false };
    expect(pausedOf(standing(up), own)).toMatchObject({ ...shown, canResume: false });
    expect(pausedOf(standing(...running), gone)).toMatchObject({ ...shown, canResume: false });
  });

  test.each([[[...running]], [[up]], [[up, putAway, ended]], [[...running, cut]]])(
    "is none of %#",
    (events) => expect(pausedOf(standing(...events), status({}))).toBeNull(),
  );
});

describe("interrupted work", () => {
  test("[R000-39] has a banner until it is dismissed or the session ends, with the rung that a resume would use", () => {
    const banner = bannerOf(standing(...running, cut), status({ nextRung: "adopted" }), null);
    expect(banner).toMatchObject({
      reason: "process_restart",
      nextRung: "adopted",
      canContinue: true,
      notice: null,
    });
    const ended: EventBody = { kind: "session.ended", reason: "explicit" };
    for (const over of [dismissed, ended])
      expect(bannerOf(standing(...running, cut, over), status({}), null)).toBeNull();
  });

  test("shows the obstacle to a resume, or the error of the last attempt", () => {
    const notice = { code: "launch_failed", message: "No agent." };
    const broken = bannerOf(standing(...running, cut), status({ notice }), null);
    expect(broken).toMatchObject({ canContinue: true, notice: "No agent." });
    const gone = bannerOf(standing(...running, cut), status({ isResumable: false, notice }), null);
    expect(gone).toMatchObject({ canContinue: false });
  });
});

test("the status key changes whenever the runtime or the run changes state", () => {
  const exited: EventBody = { kind: "agent.exited", reason: "killed" };
  const stories = [[up], [up, exited], [...running], [...running, cut], [up, putAway]];
  const keys = stories.map((events) => standingKey(standing(...events)));
  expect(new Set(keys).size).toBe(keys.length);
  expect(standingKey(standing(...running, f.said("a")))).toBe(standingKey(standing(...running)));
});
