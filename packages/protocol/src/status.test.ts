import { describe, expect, it } from "vitest";
import { emptyState, type RunState, type RuntimeState, type SessionState } from "./session.ts";
import { type Derived, deriveStatus, needOf, wordOf } from "./status.ts";
import { aWait, runState, withRun } from "./testing/states.ts";
import { interruptReasons, type Outcome, pauseReasons, statuses } from "./vocabulary.ts";

const HOST = { epoch: 2 };
const open = (change: Partial<RunState> = {}) => runState({ epoch: 2, ...change });
const status = (run: RunState | null) => deriveStatus(withRun(run), HOST).status;
const interrupted = (reason: (typeof interruptReasons)[number], change: Partial<RunState> = {}) =>
  open({ outcome: "interrupted", interruption: reason, ...change });

describe("the status of a session", () => {
  it("is running from a run's start to its outcome [R002-22]", () => {
    expect(status(open())).toBe("running");
    for (const outcome of ["completed", "failed", "cancelled"] as const) {
      expect(status(open({ outcome }))).toBe("idle");
    }
  });

  it("is waiting while the open run has a wait, whatever became of its token [R002-23]", () => {
    expect(status(open({ waits: [aWait({ kind: "tool_result" })] }))).toBe("waiting");
    const token = { id: "rt_1", hash: "", expiresAt: null, epoch: 1, clock: 0 };
    const revoked = { ...token, status: "revoked" } as const;
    expect(status(open({ waits: [aWait({ token: revoked })] }))).toBe("waiting");
  });

  it("is idle before the first run, and after an outcome that needs no person [R002-24]", () => {
    expect(status(null)).toBe("idle");
    expect(status(open({ outcome: "completed" }))).toBe("idle");
  });

  it("is interrupted_startup while a proved death is neither continued nor dismissed [R002-25]", () => {
    for (const reason of ["process_restart", "process_exit", "sandbox_lost"] as const) {
      expect(status(interrupted(reason))).toBe("interrupted_startup");
      expect(status(interrupted(reason, { dismissed: true }))).toBe("idle");
    }
  });

  it("is interrupted_waiting when a wait's time ran out [R002-26]", () => {
    expect(status(interrupted("wait_timeout"))).toBe("interrupted_waiting");
    expect(status(interrupted("wait_timeout", { dismissed: true }))).toBe("idle");
  });

  it("takes the first word that fits, in the order of the list [R002-27]", () => {
    const everything: Partial<RunState> = { waits: [aWait()], unreachable: true, paused: "idle" };
    const words = [
      status(interrupted("process_restart", everything)),
      status(interrupted("wait_timeout", everything)),
      status(open(everything)),
      status(open({ ...everything, waits: [] })),
      status(open({ ...everything, outcome: "failed" })),
    ];
    expect(words).toEqual(statuses);
    expect(words).toEqual([
      "interrupted_startup",
      "interrupted_waiting",
      "waiting",
      "running",
      "idle",
    ]);
  });

  it("is the same for an unreachable run: waiting with an open wait, else running", () => {
    const lost = deriveStatus(withRun(open({ unreachable: true })), HOST);
    expect(lost).toMatchObject({
      status: "running",
      runStatus: "paused",
      pausedReason: "unreachable",
      runtime: "unreachable",
    });
    expect(status(open({ unreachable: true, waits: [aWait()] }))).toBe("waiting");
  });

  it("does not call an open run of an earlier boot interrupted, only stale", () => {
    const old = deriveStatus(withRun(open({ epoch: 1 })), HOST);
    expect(old).toMatchObject({ status: "running", stale: true });
    expect(deriveStatus(withRun(open()), HOST).stale).toBe(false);
    expect(deriveStatus(withRun(interrupted("process_exit", { epoch: 1 })), HOST).stale).toBe(
      false,
    );
  });

  it("depends only on the state and the host's epoch, and leaves both unchanged [R002-21]", () => {
    const frozen = deepFreeze(withRun(open({ waits: [aWait()] })));
    const first = deriveStatus(frozen, Object.freeze({ ...HOST }));
    expect(deriveStatus(JSON.parse(JSON.stringify(frozen)), HOST)).toEqual(first);
    // A previously derived status does not count either.
    const said = { ...frozen, recovery: { ...frozen.recovery, derived: "idle" as const } };
    expect(deriveStatus(said, HOST)).toEqual(first);
  });
});

interface Case {
  readonly end: readonly [Outcome | null, RunState["interruption"]] | null;
  readonly waits: RunState["waits"];
  readonly dismissed: boolean;
  readonly runPaused: RunState["paused"];
  readonly unreachable: boolean;
  readonly runEpoch: number;
  readonly paused: boolean;
  readonly runtime: RuntimeState["state"];
  readonly runtimeEpoch: number;
  readonly seen: boolean;
  readonly ended: boolean;
}

const values: { readonly [K in keyof Case]: readonly Case[K][] } = {
  end: [
    null,
    [null, null],
    ["completed", null],
    ["failed", null],
    ["cancelled", null],
    ...interruptReasons.map((reason) => ["interrupted", reason] as const),
  ],
  waits: [[], [aWait()], [aWait({ kind: "external" }), aWait({ id: "wait_2" })]],
  dismissed: [false, true],
  runPaused: [null, ...pauseReasons],
  unreachable: [false, true],
  runEpoch: [1, 2],
  paused: [false, true],
  runtime: ["none", "starting", "live", "frozen", "unreachable"],
  runtimeEpoch: [1, 2],
  seen: [false, true],
  ended: [false, true],
};

function* combinations(): Generator<Case> {
  const names = Object.keys(values) as (keyof Case)[];
  const total = names.reduce((product, name) => product * values[name].length, 1);
  for (let n = 0; n < total; n++) {
    let rest = n;
    const one: Record<string, unknown> = {};
    for (const name of names) {
      one[name] = values[name][rest % values[name].length];
      rest = Math.floor(rest / values[name].length);
    }
    yield one as unknown as Case;
  }
}

const base = runState();

function stateOf(c: Case): SessionState {
  const run: RunState | null = c.end && {
    ...base,
    epoch: c.runEpoch,
    outcome: c.end[0],
    interruption: c.end[1],
    waits: c.waits,
    dismissed: c.dismissed,
    paused: c.runPaused,
    unreachable: c.unreachable,
  };
  return {
    ...emptyState,
    run,
    ended: c.ended ? { at: "", reason: "explicit" } : null,
    paused: c.paused ? { at: "", reason: "explicit" } : null,
    runtime: { ...emptyState.runtime, state: c.runtime, epoch: c.runtimeEpoch, seen: c.seen },
  };
}

/** The same derivation written again as tables: the first row that matches is the answer. */
type Rows<T> = readonly (readonly [(c: Case) => boolean, T | ((c: Case) => T)])[];

const is = (outcome: Outcome) => (c: Case) => c.end?.[0] === outcome;
const isOpen = (c: Case) => c.end !== null && c.end[0] === null;
const stopped = (c: Case) => is("interrupted")(c) && !c.dismissed;
const always = () => true;

const statusRows: Rows<Derived["status"]> = [
  [(c) => stopped(c) && c.end?.[1] === "process_restart", "interrupted_startup"],
  [(c) => stopped(c) && c.end?.[1] === "process_exit", "interrupted_startup"],
  [(c) => stopped(c) && c.end?.[1] === "sandbox_lost", "interrupted_startup"],
  [(c) => stopped(c) && c.end?.[1] === "wait_timeout", "interrupted_waiting"],
  [(c) => isOpen(c) && c.waits.length > 0, "waiting"],
  [isOpen, "running"],
  [always, "idle"],
];
const runStatusRows: Rows<Derived["runStatus"]> = [
  [(c) => c.end === null, null],
  [is("completed"), "completed"],
  [is("cancelled"), "cancelled"],
  [is("failed"), "error"],
  [is("interrupted"), "interrupted"],
  [(c) => c.unreachable || c.runPaused !== null, "paused"],
  [(c) => c.waits.length > 0, "awaiting_approval"],
  [always, "running"],
];
const reasonRows: Rows<Derived["pausedReason"]> = [
  [(c) => !isOpen(c), null],
  [(c) => c.unreachable, "unreachable"],
  [always, (c) => c.runPaused],
];
const runtimeRows: Rows<Derived["runtime"]> = [
  [(c) => isOpen(c) && c.unreachable, "unreachable"],
  [(c) => c.runtime === "unreachable", "unreachable"],
  [(c) => c.runtimeEpoch < HOST.epoch, "none"],
  [always, (c) => c.runtime],
];
const lifecycleRows: Rows<Derived["lifecycle"]> = [
  [(c) => c.ended, "ended"],
  [(c) => !c.seen && !c.paused, "creating"],
  [(c) => c.paused, "paused"],
  [(c) => ["live", "starting"].includes(pick(runtimeRows, c)), "active"],
  [always, "paused"],
];

function pick<T>(rows: Rows<T>, c: Case): T {
  const row = rows.find(([holds]) => holds(c));
  const answer = row?.[1];
  return typeof answer === "function" ? (answer as (c: Case) => T)(c) : (answer as T);
}

const oracle = (c: Case): Derived => ({
  lifecycle: pick(lifecycleRows, c),
  status: pick(statusRows, c),
  runStatus: pick(runStatusRows, c),
  pausedReason: pick(reasonRows, c),
  runtime: pick(runtimeRows, c),
  stale: isOpen(c) && c.runEpoch === 1,
});

it("derives every status as the tables do, over all combinations [R002-58]", () => {
  const wrong: unknown[] = [];
  let cases = 0;
  for (const c of combinations()) {
    cases++;
    const derived = deriveStatus(stateOf(c), HOST);
    const expected = oracle(c);
    const same = (Object.keys(expected) as (keyof Derived)[]).every(
      (word) => derived[word] === expected[word],
    );
    if (!same && wrong.length < 5) wrong.push({ c, derived, expected });
  }
  expect(wrong).toEqual([]);
  expect(cases).toBe(9 * 3 * 2 * 6 * 2 * 2 * 2 * 5 * 2 * 2 * 2);
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

describe("a session in one word", () => {
  const word = (run: RunState | null, change: Partial<SessionState> = {}) =>
    wordOf({ ...withRun(run), ...change }, HOST);
  const asleep = (epoch: number): Partial<SessionState> => ({
    runtime: { ...emptyState.runtime, seen: true, epoch },
  });

  it("is done when its work is, also while its agent is paused or its host is new", () => {
    const done = open({ outcome: "completed" });
    const live = { ...emptyState.runtime, state: "live", seen: true, epoch: 2 } as const;
    expect(word(done, { runtime: live })).toBe("done");
    for (const epoch of [1, 2]) expect(word(done, asleep(epoch))).toBe("done");
    expect(word(done, { runtime: live, paused: { at: "", reason: "idle" } })).toBe("done");
  });

  it("is failed when its run failed or its agent could not start, until that is dismissed", () => {
    expect(word(open({ outcome: "failed" }))).toBe("failed");
    const reviveError = { code: "launch_failed", message: "no" };
    const unstarted = { recovery: { ...emptyState.recovery, reviveError } };
    expect(word(null, unstarted)).toBe("failed");
    expect(word(open({ outcome: "completed" }), unstarted)).toBe("failed");
    expect(word(open({ outcome: "failed", dismissed: true }))).toBe("dismissed");
    expect(word(open(), { ...unstarted, ...asleep(2) })).toBe("paused");
  });

  it("tells why the session needs a person, since the question was asked, the run ended or the start failed", () => {
    const wait = aWait({ openedAt: "2026-01-01T00:00:00.000Z" });
    const asks = open({ waits: [wait], lastEventAt: "2026-01-02T00:00:00.000Z" });
    expect(needOf(withRun(asks))).toEqual({ kind: "waiting", since: wait.openedAt });
    const endedAt = "2026-01-03T00:00:00.000Z";
    const cut = interrupted("process_restart", { endedAt });
    expect(needOf(withRun(cut))).toEqual({ kind: "interrupted", since: endedAt });
    expect(needOf(withRun(open({ outcome: "failed", endedAt })))).toEqual({
      kind: "failed",
      since: endedAt,
    });
    // A failed start counts from its own time, and from the end of a run that had failed before it.
    const at = "2026-01-04T00:00:00.000Z";
    const reviveError = { code: "launch_failed", message: "no", at };
    const recovery = { ...emptyState.recovery, reviveError };
    const done = open({ outcome: "completed", endedAt });
    expect(needOf({ ...withRun(done), recovery })).toEqual({ kind: "failed", since: at });
    const failed = open({ outcome: "failed", endedAt });
    expect(needOf({ ...withRun(failed), recovery })).toEqual({ kind: "failed", since: endedAt });
    for (const run of [null, open(), open({ outcome: "completed" }), { ...cut, dismissed: true }]) {
      expect(needOf(withRun(run))).toBeNull();
    }
    expect(needOf({ ...withRun(cut), ended: { at: endedAt, reason: "user" } })).toBeNull();
  });
});
