import { foldAll, type SessionState, transcriptOf } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { detailDue, removalDue, ttlDue } from "./history.ts";
import { kinds, type Story, story } from "./testing/story.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const checkpointId = `ckpt_${"0".repeat(32)}`;
const from = { sessionId: `sess_${"0".repeat(32)}`, seq: 1 };

describe("rewind", () => {
  it("marks what came after, and needs an earlier position and no open run", () => {
    const told = story().prompt("one").complete();
    const toSeq = told.state.seq;
    told.prompt("two");
    const input = { toSeq, checkpointId };
    expect(told.refused("rewind", input).code).toBe("already_running");
    told.complete();
    expect(told.refused("rewind", { ...input, toSeq: told.state.seq }).code).toBe("cursor_ahead");
    told.do("rewind", input);
    expect(told.state.rewoundTo).toBe(toSeq);
    expect(told.transcript.messages.map((m) => m.rewound)).toEqual([false, false, true, true]);
  });
});

describe("fork", () => {
  it("is said once, of a copy without an open run", () => {
    const open = story().prompt();
    expect(open.refused("fork", { from }).code).toBe("already_running");
    const told = story().prompt().complete();
    told.do("fork", { from });
    expect(told.state.forkedFrom).toEqual(from);
    expect(told.refused("fork", { from }).code).toBe("already_running");
  });
});

describe("retention", () => {
  it("keeps messages, outcomes and receipts: a base and the tail are the whole", () => {
    const told = story().prompt("one").launch().say("Half").fail("content_policy");
    told.do("receipt", {
      runId: told.run.id,
      rung: "native",
      kept: ["text"],
      lost: [],
      maybeTwice: [],
      evidence: { head: "abc" },
    });
    const upTo = told.state.seq;
    const base = JSON.parse(
      JSON.stringify({ state: told.state, transcript: told.transcript }),
    ) as Pick<Story, "state" | "transcript">;
    expect(kinds(told.do("foldJournal", { upTo }))).toEqual(["journal.folded"]);
    told.prompt("two").say("Whole").complete();
    const tail = told.events.slice(upTo);
    expect(foldAll(tail, base.state)).toEqual(told.state);
    expect(transcriptOf(tail, base.transcript)).toEqual(told.transcript);
    expect(told.state).toMatchObject({ trimmedTo: upTo, recovery: { receipts: 1 } });
    expect(told.transcript.messages.map((message) => message.status)).toEqual([
      "completed",
      "error",
      "completed",
      "completed",
    ]);
  });

  it("leaves an open run its detail, goes only forwards, and not past the end", () => {
    const told = story().prompt();
    expect(told.refused("foldJournal", { upTo: 2 }).code).toBe("already_running");
    told.complete();
    expect(told.refused("foldJournal", { upTo: 99 }).code).toBe("cursor_ahead");
    told.do("foldJournal", { upTo: 3 });
    expect(told.do("foldJournal", { upTo: 3 })).toEqual([]);
    expect(told.do("foldJournal", { upTo: 2 })).toEqual([]);
  });

  const due = (told: Story, when: (state: SessionState, at: never) => boolean) =>
    when(told.state, told.time.at() as never);

  it("folds detail after 7 days, after an error 30, and never of an open run", () => {
    const done = story()
      .prompt()
      .complete()
      .pass(7 * DAY - 1);
    expect(due(done, detailDue)).toBe(false);
    expect(due(done.pass(1), detailDue)).toBe(true);
    const failed = story()
      .prompt()
      .fail("content_policy")
      .pass(30 * DAY - 1);
    expect(due(failed, detailDue)).toBe(false);
    expect(due(failed.pass(1), detailDue)).toBe(true);
    const open = story()
      .prompt()
      .pass(365 * DAY);
    expect(due(open, detailDue)).toBe(false);
    done.do("foldJournal", { upTo: done.state.seq });
    expect(due(done, detailDue)).toBe(false);
  });

  it("keeps a failed run's detail for 30 days whatever ran after it, with each policy's own time", () => {
    const told = story().prompt().fail("content_policy").pass(DAY).prompt().complete();
    expect(due(told.pass(29 * DAY - 1), detailDue)).toBe(false);
    expect(due(told.pass(1), detailDue)).toBe(true);
    const short = story({ policy: { errorDetailKept: DAY } })
      .prompt()
      .fail("content_policy");
    expect(due(short.pass(DAY), detailDue)).toBe(true);
    expect(due(short.prompt().complete().pass(DAY), detailDue)).toBe(false);
  });

  it("keeps detail as long when the clock was set back between two runs", () => {
    const told = story().prompt().complete();
    told.time.clock.step(-DAY);
    told.prompt().complete().reboot();
    expect(due(told.pass(7 * DAY), detailDue)).toBe(false);
    expect(due(told.pass(DAY), detailDue)).toBe(true);
  });

  const all: [string, (state: SessionState, at: never) => boolean, (told: Story) => unknown][] = [
    ["removal", removalDue, (told) => told.do("end", { reason: "explicit" })],
    ["time to live", ttlDue, () => undefined],
    ["detail", detailDue, () => undefined],
  ];
  describe.each(all)("(%s) does not act on a wrong clock", (_, when, then) => {
    const old = () => {
      const told = story({ policy: { sessionTtl: 60 * DAY } })
        .prompt()
        .complete();
      then(told);
      return told;
    };

    it("in a boot's first minute, nor when the clock is corrected in it", () => {
      const told = old();
      told.time.clock.step(365 * DAY);
      told.reboot().pass(MINUTE - 1);
      expect(due(told, when)).toBe(false);
      const right = old();
      right.time.clock.step(365 * DAY);
      right.reboot().time.clock.step(-365 * DAY);
      expect(due(right.pass(DAY), when)).toBe(false);
      expect(due(told.pass(1), when)).toBe(true);
    });

    it("that is only the wall's, or past belief", () => {
      const told = old();
      told.time.clock.step(365 * DAY);
      expect(due(told, when)).toBe(false);
      told.time.clock.step(10 * 365 * DAY);
      expect(due(told.reboot().pass(MINUTE), when)).toBe(false);
    });
  });

  it("deletes only ended sessions, after 30 days", () => {
    const told = story()
      .prompt()
      .complete()
      .pass(365 * DAY);
    expect(due(told, removalDue)).toBe(false);
    told.do("end", { reason: "explicit" });
    expect(due(told.pass(30 * DAY - 1), removalDue)).toBe(false);
    expect(due(told.pass(1), removalDue)).toBe(true);
  });

  it("ends a session by its time to live only when that is set and no run is open", () => {
    const off = story().pass(365 * DAY);
    expect(due(off, ttlDue)).toBe(false);
    const on = story({ policy: { sessionTtl: DAY } })
      .prompt()
      .pass(2 * DAY);
    expect(due(on, ttlDue)).toBe(false);
    expect(due(on.complete().pass(DAY - 1), ttlDue)).toBe(false);
    expect(due(on.pass(1), ttlDue)).toBe(true);
  });
});
