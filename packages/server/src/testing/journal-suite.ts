/**
 * The rules that every journal store must keep. A store's test file calls `journalSuite` with
 * functions that open an empty store and reopen it as the next boot of a host would.
 */

import { crc32 } from "node:zlib";
import type { HostError, SessionId } from "@holdfast/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Batch, Journal } from "../journal/journal.ts";
import { batchOf, eventLine, headOf, readAll, sessionId, startSession } from "./journal-steps.ts";

export interface SuiteStore {
  readonly journal: Journal;
  /** Opens the same data again as the next boot, with a higher epoch. */
  readonly reopen: () => Promise<Journal>;
  /**
   * Opens the same data while the first owner still runs, for stores that allow it. `reopen` then
   * leaves the first owner open too.
   */
  readonly takeOver?: () => Promise<Journal>;
  readonly dispose: () => Promise<void>;
}

export function journalSuite(name: string, open: () => Promise<SuiteStore>): void {
  describe(`${name} keeps the journal's rules`, () => {
    let store: SuiteStore;
    let journal: Journal;

    beforeEach(async () => {
      store = await open();
      journal = store.journal;
    });
    afterEach(() => store.dispose());

    describe("appending", () => {
      test("[R002-17] [R002-46] [R002-60] events stand at 1..n in the order they were appended", async () => {
        const session = await startSession(journal, 1);
        const second = await journal.append(batchOf(journal, session, 1, 3));
        expect(second.seq).toBe(4);
        expect(await readAll(journal, session)).toEqual([1, 2, 3, 4].map(eventLine));
      });

      test("the chain is the CRC-32 of all event bytes so far, and a reopened store goes on with it", async () => {
        const session = await startSession(journal, 2);
        const bytes = [1, 2, 3].map(eventLine).join("");
        expect((await journal.append(batchOf(journal, session, 2, 1))).chain).toBe(crc32(bytes));
        const next = await store.reopen();
        const appended = await next.append(batchOf(next, session, 3, 1));
        expect(appended).toEqual({ seq: 4, chain: crc32(bytes + eventLine(4)) });
        expect(await next.standing(session)).toMatchObject(appended);
      });

      test("[P4] 50 concurrent writers × 200 appends: a dense set without gap, duplicate or reorder", async () => {
        const session = await startSession(journal, 0);
        const stored: string[] = [];
        let head = 0;
        const writer = async (name: number) => {
          for (let n = 0; n < 200; n++) {
            const text = `{"writer":${name},"n":${n}}\n`;
            const batch = { session, epoch: journal.epoch, expectedSeq: head++, count: 1, text };
            const { seq } = await journal.append(batch);
            expect(stored[seq - 1]).toBeUndefined();
            stored[seq - 1] = text;
          }
        };
        await Promise.all(Array.from({ length: 50 }, (_, name) => writer(name)));
        expect(stored.length).toBe(10_000);
        expect(await readAll(journal, session)).toEqual(stored);
        expect(await readAll(await store.reopen(), session)).toEqual(stored);
      });

      test("[P4] writers that fight for the same seq: each seq goes to exactly one", async () => {
        const session = await startSession(journal, 0);
        const stored: string[] = [];
        const writer = async (name: number) => {
          for (let n = 0, expectedSeq = 0; n < 25; ) {
            const text = `{"writer":${name},"n":${n}}\n`;
            try {
              await journal.append({ session, epoch: journal.epoch, expectedSeq, count: 1, text });
              stored[expectedSeq++] = text;
              n++;
            } catch (error) {
              expect(error).toMatchObject({ code: "seq_conflict" });
              expectedSeq = (error as HostError).details?.seq as number;
            }
          }
        };
        await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)));
        expect(stored.length).toBe(200);
        expect(await readAll(journal, session)).toEqual(stored);
      });

      test("batches of one session are taken in call order without waiting for each other", async () => {
        const session = await startSession(journal, 0);
        const appends = Array.from({ length: 100 }, (_, n) =>
          journal.append(batchOf(journal, session, n, 1)),
        );
        let chain = 0;
        for (const [n, appended] of (await Promise.all(appends)).entries()) {
          chain = crc32(eventLine(n + 1), chain);
          expect(appended).toEqual({ seq: n + 1, chain });
        }
      });

      test("[RX-2] another expectedSeq than the head is refused and writes no event", async () => {
        const session = await startSession(journal, 2);
        for (const expectedSeq of [0, 1, 3]) {
          const refused = journal.append(batchOf(journal, session, expectedSeq, 1));
          await expect(refused).rejects.toMatchObject({
            code: "seq_conflict",
            details: { seq: 2 },
          });
        }
        expect(await readAll(journal, session)).toEqual([1, 2].map(eventLine));
      });

      test("[P6] [RX-2] an older epoch cannot write", async () => {
        const session = await startSession(journal, 1);
        const stale = journal.epoch;
        const next = await store.reopen();
        expect(next.epoch).toBeGreaterThan(stale);
        const refused = next.append({ ...batchOf(next, session, 1, 1), epoch: stale });
        await expect(refused).rejects.toMatchObject({ code: "fenced" });
        expect(await readAll(next, session)).toEqual([eventLine(1)]);
      });

      test("[P6] an owner that was taken over can no longer write, trim or delete", async (context) => {
        if (!store.takeOver) return context.skip("this store never lets a second owner in");
        const session = await startSession(journal, 1);
        const next = await store.takeOver();
        const base = { seq: 1, chain: 0, state: "{}", transcript: "[]" };
        const stale = await Promise.allSettled([
          journal.append(batchOf(journal, session, 1, 1)),
          journal.putBase(session, base),
          journal.trim(session, 1),
          journal.remove(session),
        ]);
        for (const call of stale) expect(call).toMatchObject({ reason: { code: "fenced" } });
        await next.append(batchOf(next, session, 1, 1));
        expect(await readAll(next, session)).toEqual([1, 2].map(eventLine));
      });

      test("a session begins at expectedSeq 0 with a head, and only so", async () => {
        const session = sessionId(7);
        const withoutHead = journal.append(batchOf(journal, session, 0, 1));
        await expect(withoutHead).rejects.toMatchObject({ code: "session_not_found" });
        const inTheMiddle = journal.append({ ...batchOf(journal, session, 5, 1), head: headOf() });
        await expect(inTheMiddle).rejects.toMatchObject({ code: "session_not_found" });
        expect(await journal.standing(session)).toBeNull();
        await expect(journal.read(session, 0, 10)).rejects.toMatchObject({
          code: "session_not_found",
        });
      });

      test("a session stands for its own tenant, and for a caller that names none", async () => {
        const session = await startSession(journal, 1);
        const { tenant } = headOf();
        expect(await journal.standing(session, tenant)).toEqual(await journal.standing(session));
        expect(await journal.standing(session, `not-${tenant}`)).toBeNull();
        expect(await journal.standing(sessionId(99), tenant)).toBeNull();
      });

      test("a batch without events moves head and cursor only", async () => {
        const session = await startSession(journal, 1);
        const head = headOf({ status: "waiting" });
        const cursor = { holder: "h1", from: 0, to: 9 };
        const batch = { ...batchOf(journal, session, 1, 0), head, cursor };
        expect((await journal.append(batch)).seq).toBe(1);
        expect((await journal.standing(session))?.head).toEqual(head);
        expect(await journal.cursor(session, "h1")).toBe(9);
      });

      test("an event over 256 KB is refused as too large; one of exactly that size is kept", async () => {
        const session = await startSession(journal, 0);
        const large = (bytes: number): Batch => ({
          ...batchOf(journal, session, 0, 1),
          text: `${"x".repeat(bytes - 1)}\n`,
        });
        await expect(journal.append(large(2 * 1024 * 1024))).rejects.toMatchObject({
          code: "too_large",
        });
        await expect(journal.append(large(256 * 1024 + 1))).rejects.toMatchObject({
          code: "too_large",
        });
        await journal.append(large(256 * 1024));
        expect((await journal.read(session, 0, 10))?.bytes.length).toBe(256 * 1024);
      });

      test("a text whose number of lines differs from its count is refused", async () => {
        const session = await startSession(journal, 0);
        for (const text of ["{}", "{}\n{}\n", "", "{}\n{}"]) {
          const refused = journal.append({ ...batchOf(journal, session, 0, 1), text });
          await expect(refused).rejects.toMatchObject({ code: "bad_input" });
        }
      });

      test("it reports when too much is in flight, and keeps every batch", async () => {
        const session = await startSession(journal, 0);
        const text = `${"x".repeat(200 * 1024)}\n`;
        expect(journal.ready).toBe(true);
        const appends = Array.from({ length: 50 }, (_, n) =>
          journal.append({ ...batchOf(journal, session, n, 1), text }),
        );
        expect(journal.ready).toBe(false);
        await journal.whenReady();
        expect(journal.ready).toBe(true);
        expect((await Promise.all(appends)).at(-1)?.seq).toBe(50);
      });
    });

    describe("[R002-48] durability as the port shows it", () => {
      test("[P3] events become readable when their append resolves, not before", async () => {
        const session = await startSession(journal, 1);
        const append = journal.append(batchOf(journal, session, 1, 1));
        expect(await Promise.race([append, journal.read(session, 1, 10)])).toBeNull();
        await append;
        expect((await journal.read(session, 1, 10))?.count).toBe(1);
      });

      test("wake-ups come after durability, in seq order, and what they name can be read", async () => {
        const session = await startSession(journal, 0);
        const woken: number[] = [];
        const reads: Promise<unknown>[] = [];
        const stop = journal.onAppend((of, seq) => {
          if (of !== session) return;
          woken.push(seq);
          reads.push(
            journal.read(session, seq - 1, 1).then((slice) => expect(slice?.firstSeq).toBe(seq)),
          );
        });
        await Promise.all([0, 1, 2, 3].map((n) => journal.append(batchOf(journal, session, n, 1))));
        stop();
        await journal.append(batchOf(journal, session, 4, 1));
        await Promise.all(reads);
        expect(woken).toEqual([1, 2, 3, 4]);
      });

      test("a reopened store has every event, head, fact, cursor and base", async () => {
        const session = await startSession(journal, 3);
        const once = [{ name: "token", key: "t1" }] as const;
        const cursor = { holder: "h1", from: 0, to: 4 };
        const head = headOf({ title: "Ünïcode ✓", status: "waiting", dueAt: 5 });
        await journal.append({ ...batchOf(journal, session, 3, 1), once, cursor, head });
        const base = { seq: 4, chain: 9, state: '{"a":1}', transcript: "[]" };
        await journal.putBase(session, base);
        const next = await store.reopen();
        expect(await readAll(next, session)).toEqual([1, 2, 3, 4].map(eventLine));
        expect(await next.standing(session)).toMatchObject({ session, seq: 4, trimmed: 0, head });
        expect(await next.fact(session, once[0])).toBe(4);
        expect(await next.cursor(session, "h1")).toBe(4);
        expect(await next.base(session)).toEqual(base);
        expect(await next.damages()).toEqual([]);
      });

      test("a closed journal refuses calls", async () => {
        const session = await startSession(journal, 1);
        await journal.close();
        const late = await Promise.allSettled([
          journal.append(batchOf(journal, session, 1, 1)),
          journal.standing(session),
          journal.remove(session),
        ]);
        for (const call of late) expect(call).toMatchObject({ reason: { code: "journal_closed" } });
      });
    });

    describe("reading", () => {
      test("[RX-5] reading on from any seq gives no gap and no duplicate, also while events arrive", async () => {
        const session = await startSession(journal, 0);
        const total = 2000;
        const writing = (async () => {
          for (let n = 0; n < total; n += 4) await journal.append(batchOf(journal, session, n, 4));
        })();
        const follow = async (after: number, limit: number) => {
          const seen: number[] = [];
          let wake = Promise.withResolvers<void>();
          const stop = journal.onAppend(() => wake.resolve());
          for (let at = after; at < total; ) {
            wake = Promise.withResolvers<void>();
            const standing = await journal.standing(session);
            if ((standing?.seq ?? 0) < at) await wake.promise;
            if ((standing?.seq ?? 0) < at) continue;
            const slice = await journal.read(session, at, limit);
            if (!slice) await wake.promise;
            if (!slice) continue;
            expect(slice.firstSeq).toBe(at + 1);
            const lines = Buffer.from(slice.bytes).toString().trimEnd().split("\n");
            expect(lines.length).toBe(slice.count);
            for (const line of lines) seen.push(JSON.parse(line).seq);
            at += slice.count;
          }
          stop();
          expect(seen).toEqual(Array.from({ length: total - after }, (_, i) => after + i + 1));
        };
        await Promise.all([
          writing,
          follow(0, 1000),
          follow(0, 7),
          follow(333, 64),
          follow(1999, 1),
        ]);
      });

      test("a slice is bounded in events and bytes, and the next one begins where it ends", async () => {
        const session = await startSession(journal, 0);
        await journal.append(batchOf(journal, session, 0, 1500));
        expect((await journal.read(session, 0, 1e9))?.count).toBe(1000);
        expect((await journal.read(session, 1000, 1e9))?.count).toBe(500);
        const text = `${"y".repeat(100_000)}\n`.repeat(5);
        await journal.append({ ...batchOf(journal, session, 1500, 5), text });
        expect((await journal.read(session, 1500, 100))?.count).toBe(2);
      });

      test("a read at the head is empty; past it the cursor is ahead", async () => {
        const session = await startSession(journal, 2);
        expect(await journal.read(session, 2, 10)).toBeNull();
        await expect(journal.read(session, 3, 10)).rejects.toMatchObject({ code: "cursor_ahead" });
        const next = await store.reopen();
        expect(await next.read(session, 2, 10)).toBeNull();
        await expect(next.read(session, 3, 10)).rejects.toMatchObject({ code: "cursor_ahead" });
      });

      test("bytes come back exactly, whatever script they are in", async () => {
        const session = await startSession(journal, 0);
        const text = `{"t":"naïve 日本語 🧵"}\n{"t":"plain"}\n`;
        await journal.append({ ...batchOf(journal, session, 0, 2), text });
        await journal.append(batchOf(journal, session, 2, 1));
        const next = await store.reopen();
        for (const lines of [await readAll(next, session), await readAll(next, session, 0, 1)]) {
          expect(lines.join("")).toBe(text + eventLine(3));
        }
      });
    });

    describe("facts and cursors", () => {
      const once = [{ name: "command", key: "k" }] as const;

      test("a fact becomes true once; the refusal says where it stands", async () => {
        const session = await startSession(journal, 1);
        await journal.append({ ...batchOf(journal, session, 1, 2), once });
        const again = journal.append({ ...batchOf(journal, session, 3, 1), once });
        await expect(again).rejects.toMatchObject({
          code: "already_done",
          details: { name: "command", key: "k", seq: 3 },
        });
        expect(await journal.fact(session, once[0])).toBe(3);
        expect(await journal.fact(session, { name: "token", key: "k" })).toBeNull();
      });

      test("of many that race for one fact exactly one wins", async () => {
        const session = await startSession(journal, 0);
        const tries = Array.from({ length: 100 }, () =>
          journal.append({ ...batchOf(journal, session, 0, 1), once }),
        );
        const won = (await Promise.allSettled(tries)).filter(
          ({ status }) => status === "fulfilled",
        );
        expect(won.length).toBe(1);
        expect(await readAll(journal, session)).toEqual([eventLine(1)]);
      });

      test("the same fact twice in one batch is refused", async () => {
        const session = await startSession(journal, 0);
        const refused = journal.append({
          ...batchOf(journal, session, 0, 1),
          once: [once[0], once[0]],
        });
        await expect(refused).rejects.toMatchObject({ code: "already_done" });
        expect(await journal.fact(session, once[0])).toBeNull();
      });

      test("facts belong to their session", async () => {
        const [one, two] = [await startSession(journal, 0, 1), await startSession(journal, 0, 2)];
        await journal.append({ ...batchOf(journal, one, 0, 1), once });
        await journal.append({ ...batchOf(journal, two, 0, 1), once });
        expect(await journal.fact(two, once[0])).toBe(1);
      });

      test("run and creation facts lead to their session from anywhere, and go with it", async () => {
        const [one, two] = [await startSession(journal, 0, 1), await startSession(journal, 0, 2)];
        const run = [{ name: "run", key: "run_1" }] as const;
        await journal.append({ ...batchOf(journal, two, 0, 1), once: run });
        await journal.append({ ...batchOf(journal, one, 0, 1), once });
        expect(await journal.find("run_1")).toBe(two);
        expect(await journal.find("k")).toBeNull();
        await journal.remove(two);
        expect(await journal.find("run_1")).toBeNull();
      });

      test("a second session under one creation key is refused, naming the first", async () => {
        const created = { once: [{ name: "created", key: "create/t/k" }] } as const;
        const batch = (n: number) => ({
          ...batchOf(journal, sessionId(n), 0, 1),
          head: headOf(),
          ...created,
        });
        const tries = await Promise.allSettled([1, 2, 3].map((n) => journal.append(batch(n))));
        expect(tries.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
        await expect(journal.append(batch(4))).rejects.toMatchObject({
          code: "already_done",
          details: { session: sessionId(1), seq: 1 },
        });
        expect(await journal.standing(sessionId(2))).toBeNull();
        expect(await journal.find("create/t/k")).toBe(sessionId(1));
      });

      test("a cursor moves by compare-and-set", async () => {
        const session = await startSession(journal, 0);
        const move = (from: number, to: number, expectedSeq: number) =>
          journal.append({
            ...batchOf(journal, session, expectedSeq, 1),
            cursor: { holder: "h", from, to },
          });
        expect(await journal.cursor(session, "h")).toBe(0);
        await move(0, 10, 0);
        await expect(move(0, 11, 1)).rejects.toMatchObject({
          code: "cursor_conflict",
          details: { at: 10 },
        });
        await move(10, 11, 1);
        expect(await journal.cursor(session, "h")).toBe(11);
        expect(await journal.cursor(session, "another")).toBe(0);
      });

      test("a refused batch leaves no row and touches no other of the same group", async () => {
        const session = await startSession(journal, 0, 1);
        const other = await startSession(journal, 0, 2);
        await journal.append({ ...batchOf(journal, session, 0, 1), once });
        const cursor = { holder: "h", from: 0, to: 1 };
        const fresh = { name: "outcome", key: "r" } as const;
        const results = await Promise.allSettled([
          journal.append(batchOf(journal, other, 0, 1)),
          journal.append({
            ...batchOf(journal, session, 1, 1),
            once: [fresh, once[0]],
            cursor,
            head: headOf({ title: "refused" }),
          }),
          journal.append({ ...batchOf(journal, sessionId(99), 4, 1), head: headOf() }),
          journal.append(batchOf(journal, session, 1, 2)),
          journal.append(batchOf(journal, other, 1, 1)),
        ]);
        expect(results.map(({ status }) => status === "fulfilled")).toEqual([
          true,
          false,
          false,
          true,
          true,
        ]);
        const next = await store.reopen();
        expect(await readAll(next, session)).toEqual([1, 2, 3].map(eventLine));
        expect(await readAll(next, other)).toEqual([1, 2].map(eventLine));
        expect(await next.fact(session, fresh)).toBeNull();
        expect(await next.cursor(session, "h")).toBe(0);
        expect((await next.standing(session))?.head.title).not.toBe("refused");
      });
    });

    describe("heads and lists", () => {
      test("opened and due give what recovery and the sweep work through", async () => {
        const heads = [
          headOf({ open: true }),
          headOf({ dueAt: 300 }),
          headOf({ open: true, dueAt: 100 }),
          headOf({ dueAt: 200 }),
          headOf(),
        ];
        for (const [i, head] of heads.entries()) await startSession(journal, 1, i, head);
        const ids = (found: readonly { session: SessionId }[]) =>
          found.map(({ session }) => session);
        expect(ids(await journal.opened()).sort()).toEqual([sessionId(0), sessionId(2)]);
        expect(ids(await journal.due(250, 10))).toEqual([sessionId(2), sessionId(3)]);
        expect(ids(await journal.due(999, 1))).toEqual([sessionId(2)]);
        const next = await store.reopen();
        expect(await next.opened()).toMatchObject([{ seq: 1 }, { seq: 1 }]);
      });

      test("lists page newest first without skipping or repeating, also for equal times", async () => {
        for (let i = 0; i < 25; i++) {
          await startSession(journal, 1, i, headOf({ updatedAt: 100 + Math.floor(i / 10) }));
        }
        const seen: SessionId[] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page = await journal.list({ limit: 7, ...(cursor && { cursor }) });
          seen.push(...page.sessions.map(({ session }) => session));
          cursor = page.cursor;
        }
        expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => sessionId(24 - i)));
        await expect(journal.list({ limit: 7, cursor: "?" })).rejects.toMatchObject({
          code: "bad_input",
        });
      });

      test.each([200, 5000])(
        "sessions that need somebody come first however many newer ones there are (%d)",
        async (newer) => {
          const needing = [
            headOf({ need: "failed", updatedAt: 1 }),
            headOf({ need: "waiting", updatedAt: 2 }),
            headOf({ need: "interrupted", updatedAt: 3 }),
            headOf({ need: "waiting", updatedAt: 4 }),
          ];
          for (const [n, head] of needing.entries()) await startSession(journal, 1, n + 1, head);
          await startSession(journal, 1, 99, headOf({ need: "waiting", tenant: "other" }));
          await Promise.all(
            Array.from({ length: newer }, (_, i) =>
              startSession(journal, 1, 100 + i, headOf({ updatedAt: 1000 + i })),
            ),
          );
          const query = { tenant: "tenant", limit: 3 };
          const first = await journal.list(query);
          const second = await journal.list({ ...query, cursor: first.cursor ?? "" });
          const ids = [...first.sessions, ...second.sessions].map(({ session }) => session);
          const newest = sessionId(100 + newer - 1);
          expect(ids.slice(0, 5)).toEqual([4, 2, 3, 1].map(sessionId).concat(newest));
          const counts = { waiting: 2, interrupted: 1, failed: 1 };
          expect(await journal.needs("tenant")).toEqual(counts);
          expect(await (await store.reopen()).needs("tenant")).toEqual(counts);
        },
      );

      test("a session that no longer needs somebody is listed by age again", async () => {
        const session = await startSession(journal, 1, 1, headOf({ need: "waiting" }));
        const other = await startSession(journal, 1, 2, headOf({ updatedAt: 100 }));
        const order = async () =>
          (await journal.list({ limit: 9 })).sessions.map(({ session }) => session);
        expect(await order()).toEqual([session, other]);
        await journal.append({ ...batchOf(journal, session, 1, 1), head: headOf() });
        expect(await order()).toEqual([other, session]);
        expect(await journal.needs("tenant")).toEqual({ waiting: 0, interrupted: 0, failed: 0 });
      });

      test("lists filter by tenant, status and a part of the title in any case", async () => {
        await startSession(
          journal,
          1,
          1,
          headOf({ tenant: "a", title: "Fix the Ünicorn", status: "idle" }),
        );
        await startSession(journal, 1, 2, headOf({ tenant: "b", title: "fix it", status: "idle" }));
        await startSession(
          journal,
          1,
          3,
          headOf({ tenant: "a", title: "other", status: "running" }),
        );
        const found = async (query: object) =>
          (await journal.list({ limit: 9, ...query })).sessions
            .map(({ session }) => session)
            .sort();
        expect(await found({ tenant: "a" })).toEqual([sessionId(1), sessionId(3)]);
        expect(await found({ status: "idle" })).toEqual([sessionId(1), sessionId(2)]);
        expect(await found({ q: "FIX" })).toEqual([sessionId(1), sessionId(2)]);
        expect(await found({ q: "üNICORN", tenant: "a" })).toEqual([sessionId(1)]);
        expect(await found({ q: "%" })).toEqual([]);
      });
    });

    describe("retention", () => {
      const baseAt = (seq: number) => ({
        seq,
        chain: seq,
        state: `{"at":${seq}}`,
        transcript: "[]",
      });

      test("[F29] below the base there is an explicit reset, above it every event", async () => {
        const session = await startSession(journal, 20);
        await journal.putBase(session, baseAt(12));
        await journal.trim(session, 12);
        for (const at of [journal, await store.reopen()]) {
          if (at === journal && !store.takeOver) continue;
          await expect(at.read(session, 11, 10)).rejects.toMatchObject({
            code: "below_retention",
            details: { trimmed: 12 },
          });
          expect(await readAll(at, session, 12)).toEqual(
            [13, 14, 15, 16, 17, 18, 19, 20].map(eventLine),
          );
          expect(await at.standing(session)).toMatchObject({ seq: 20, trimmed: 12 });
          expect(await at.base(session)).toEqual(baseAt(12));
        }
      });

      test("[F29] the journal goes on behind a trim of everything", async () => {
        const session = await startSession(journal, 5);
        await journal.putBase(session, baseAt(5));
        await journal.trim(session, 5);
        await expect(journal.read(session, 4, 10)).rejects.toMatchObject({
          code: "below_retention",
        });
        expect(await journal.read(session, 5, 10)).toBeNull();
        await journal.append(batchOf(journal, session, 5, 1));
        const next = await store.reopen();
        expect(await readAll(next, session, 5)).toEqual([eventLine(6)]);
        await next.append(batchOf(next, session, 6, 1));
        expect(await readAll(next, session, 5)).toEqual([6, 7].map(eventLine));
      });

      test("[F40] trim without a base that covers it, or of an unknown session, is refused and keeps all events", async () => {
        const session = await startSession(journal, 5);
        await expect(journal.trim(session, 3)).rejects.toMatchObject({ code: "bad_input" });
        await journal.putBase(session, baseAt(2));
        await expect(journal.trim(session, 3)).rejects.toMatchObject({ code: "bad_input" });
        await expect(journal.trim(sessionId(99), 1)).rejects.toMatchObject({
          code: "session_not_found",
        });
        await journal.remove(sessionId(99));
        expect(await readAll(journal, session)).toEqual([1, 2, 3, 4, 5].map(eventLine));
      });

      test("a base never moves backwards and never past the head", async () => {
        const session = await startSession(journal, 5);
        await journal.putBase(session, baseAt(4));
        await journal.putBase(session, baseAt(2));
        expect(await journal.base(session)).toEqual(baseAt(4));
        await expect(journal.putBase(session, baseAt(6))).rejects.toMatchObject({
          code: "cursor_ahead",
        });
        await expect(journal.putBase(sessionId(99), baseAt(1))).rejects.toMatchObject({
          code: "session_not_found",
        });
        await expect(journal.base(sessionId(99))).rejects.toMatchObject({
          code: "session_not_found",
        });
      });

      test("remove takes a session with all its data, for good", async () => {
        const session = await startSession(journal, 3, 1);
        const other = await startSession(journal, 3, 2);
        const once = [{ name: "client", key: "c" }] as const;
        const cursor = { holder: "h", from: 0, to: 1 };
        await journal.append({ ...batchOf(journal, session, 3, 1), once, cursor });
        await journal.putBase(session, baseAt(1));
        await journal.remove(session);
        await journal.remove(session);
        await expect(journal.read(session, 0, 10)).rejects.toMatchObject({
          code: "session_not_found",
        });
        const late = journal.append(batchOf(journal, session, 4, 1));
        await expect(late).rejects.toMatchObject({ code: "session_not_found" });
        const next = await store.reopen();
        expect(await next.standing(session)).toBeNull();
        expect(await readAll(next, other)).toEqual([1, 2, 3].map(eventLine));
        expect(await next.fact(session, once[0])).toBeNull();
        await startSession(next, 1, 1);
        expect(await readAll(next, session)).toEqual([eventLine(1)]);
        expect(await next.cursor(session, "h")).toBe(0);
        expect(await next.base(session)).toBeNull();
      });
    });
  });
}
