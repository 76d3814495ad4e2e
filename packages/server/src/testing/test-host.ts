/**
 * A host in memory with a manual clock and deterministic randomness. Any moment can be tested, and
 * a crash is a second host on the same disk, which fences the first.
 */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Event, EventKind, EventOf, SessionId } from "@holdfast/protocol";
import { decodeEvents } from "@holdfast/protocol/schemas";
import { type HostOptions, type HostParts, wireHost } from "../host.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import { MemoryDisk, openMemoryJournal } from "./memory-journal.ts";

export interface TestHost extends HostParts {
  readonly clock: ManualClock;
  readonly disk: MemoryDisk;
  readonly tokens: string[];
  readonly errors: unknown[];
  newSession(over?: Record<string, unknown>): Promise<SessionId>;
  events(session: SessionId): Promise<Event[]>;
  /**
   * Resolves with the nth event of this kind, also a past one. A missing event fails the test by
   * timeout.
   */
  until<K extends EventKind>(
    session: SessionId,
    kind: K,
    nth?: number,
  ): Promise<Event & EventOf<K>>;
  /** Starts the next boot on the same disk; this host can no longer write. */
  crash(over?: Partial<HostOptions>): Promise<TestHost>;
}

export async function testHost(
  options: Partial<HostOptions> & { disk?: MemoryDisk; clock?: ManualClock } = {},
): Promise<TestHost> {
  const disk = options.disk ?? new MemoryDisk();
  const clock = options.clock ?? manualClock();
  // Every boot opens its own journal.
  const { journal = await openMemoryJournal(disk), ...inherited } = options;
  const tokens: string[] = [];
  const errors: unknown[] = [];
  const host = await wireHost({
    data: mkdtempSync(join(tmpdir(), "holdfast-test-")),
    onError: (_session, error) => errors.push(error),
    ...options,
    clock,
    journal,
    random: options.random ?? counted(disk.epoch),
    onToken: (_session, _run, token) => tokens.push(token),
  });
  const { sessions } = host;
  return {
    ...host,
    clock,
    disk,
    tokens,
    errors,
    async newSession(over = {}) {
      const sessionId = sessions.newId("session");
      const input = { sessionId, tenant: "local", title: "A session", agentName: "demo", ...over };
      await sessions.execute(sessionId, "create", input);
      return sessionId;
    },
    async events(session) {
      const events: Event[] = [];
      const { seq } = await sessions.state(session);
      for (let after = 0; after < seq; ) {
        const slice = await host.journal.read(session, after, 1000);
        if (slice === null) break;
        events.push(...decodeEvents(slice.bytes));
        after = slice.firstSeq + slice.count - 1;
      }
      return events;
    },
    async until(session, kind, nth = 1) {
      let seen = 0;
      for await (const followed of sessions.follow(session, 0)) {
        if (followed.type !== "events") continue;
        for (const event of decodeEvents(followed.slice.bytes)) {
          if (event.kind === kind && ++seen === nth) return event as never;
        }
      }
      throw new Error("the follower ended");
    },
    crash: (over = {}) => testHost({ ...inherited, ...over, disk, clock }),
  };
}

/** Random bytes that differ between boots and repeat in every test run. */
function counted(life: number): (bytes: number) => Uint8Array {
  let n = 0;
  return (bytes) => {
    const out = new Uint8Array(bytes);
    const view = new DataView(out.buffer);
    view.setUint32(Math.max(0, bytes - 4), ++n);
    view.setUint16(Math.max(0, bytes - 6), life);
    return out;
  };
}
