/** Breaks things on purpose, and measures how long each takes to recover. */

import type { Connection, SessionSnapshot } from "@holdfast/client";
import { useHoldfast } from "@holdfast/client/react";
import type { SessionView } from "@holdfast/protocol";
import { useCallback, useEffect, useState } from "react";
import { type Break, type Broken, CUT_MS } from "../../components/side-pane/break-it.tsx";
import type { Network } from "../../network.ts";
import { problemWords } from "../../words/problem.ts";
import { type BreakMade, brokenOf } from "./broken-of.ts";

interface BreaksOptions {
  readonly id: string;
  readonly network: Network;
  readonly snapshot: Pick<SessionSnapshot, "session" | "seq" | "receipts">;
  readonly connection: Connection;
}

interface Pending {
  readonly what: Break;
  readonly since: number;
  /** True once the loss was observed; only then can a recovery be. */
  readonly wasGone: boolean;
}

interface Breaks {
  readonly history: readonly Broken[];
  readonly onBreak: (what: Break) => void;
}

/** Breaks by session: on a phone the panel is closed to watch the session. */
const kept = new Map<string, readonly BreakMade[]>();

export function useBreaks({ id, network, snapshot, connection }: BreaksOptions): Breaks {
  const { client } = useHoldfast();
  const { session, seq, receipts } = snapshot;
  const [made, setMade] = useState<readonly BreakMade[]>(() => kept.get(id) ?? []);
  useEffect(() => {
    kept.set(id, made);
  }, [id, made]);
  const [pending, setPending] = useState<Pending | null>(null);
  const change = useCallback(
    (last: Partial<BreakMade>) =>
      setMade((before) =>
        before.map((one, i) => (i === before.length - 1 ? { ...one, ...last } : one)),
      ),
    [],
  );
  const isThere = isBack(pending?.what ?? null, connection, session);
  useEffect(() => {
    if (pending === null) return;
    if (!isThere) {
      if (!pending.wasGone) setPending({ ...pending, wasGone: true });
      return;
    }
    if (!pending.wasGone) return;
    change({ backAfterMs: performance.now() - pending.since });
    setPending(null);
  }, [pending, isThere, change]);
  const onBreak = (what: Break) => {
    change({ beforeSeq: seq });
    const fresh = { what, afterSeq: seq, beforeSeq: null, backAfterMs: null, problem: null };
    setMade((before) => [...before, fresh]);
    setPending({ what, since: performance.now(), wasGone: what === "tab" });
    if (what === "network") network.cut(CUT_MS);
    // Waits for the next paint, because afterwards the page is frozen.
    else if (what === "tab") requestAnimationFrame(() => setTimeout(() => freeze(CUT_MS)));
    else {
      client.call("breakSession", { params: { sessionId: id }, body: { what } }).catch((error) => {
        change({ problem: problemWords(error) });
        setPending(null);
      });
    }
  };
  const isAsking = session?.status === "waiting";
  return { history: made.map((one) => brokenOf(one, receipts, isAsking)), onBreak };
}

function isBack(what: Break | null, connection: Connection, session: SessionView | null): boolean {
  if (connection.state !== "live") return false;
  return what === "agent" || what === "holder" ? session?.runtime.state === "live" : true;
}

/** Blocks the page's thread, as a locked phone does: no code runs, and the host is not told. */
function freeze(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
