/** Breaks things on purpose, and times how long each takes to come back. */

import type { Connection } from "@holdfast/client";
import { useHoldfast } from "@holdfast/client/react";
import type { SessionView } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import type { Break, Broken } from "../components/break-it.tsx";
import type { Network } from "../network.ts";
import { rungs } from "../words/story.ts";

interface BreaksOptions {
  readonly id: string;
  readonly network: Network;
  readonly session: SessionView | null;
  readonly connection: Connection;
}

interface Pending {
  readonly what: Break;
  readonly since: number;
  /** It was seen to be gone: only then is it back. */
  readonly wasGone: boolean;
}

const CUT_MS = 10_000;
const FROZEN_MS = 8000;

export function useBreaks({ id, network, session, connection }: BreaksOptions) {
  const { client } = useHoldfast();
  const [history, setHistory] = useState<readonly Broken[]>([]);
  const [pending, setPending] = useState<Pending | null>(null);
  const isThere = isBack(pending?.what ?? null, connection, session);
  useEffect(() => {
    if (pending === null) return;
    if (!isThere) {
      if (!pending.wasGone) setPending({ ...pending, wasGone: true });
      return;
    }
    if (!pending.wasGone) return;
    const rung = session?.recovery.rung ?? null;
    const how = pending.what === "network" || rung === null ? null : rungs[rung];
    const back = { what: pending.what, backAfterMs: performance.now() - pending.since, how };
    setHistory((before) => [...before.slice(0, -1), back]);
    setPending(null);
  }, [pending, isThere, session]);
  const onBreak = (what: Break) => {
    // One at a time is timed: what is not back by now is not waited for.
    const over = (before: readonly Broken[]) => before.filter((one) => one.backAfterMs !== null);
    setHistory((before) => [...over(before), { what, backAfterMs: null, how: null }]);
    setPending({ what, since: performance.now(), wasGone: what === "tab" });
    if (what === "network") network.cut(CUT_MS);
    else if (what === "tab") freeze(FROZEN_MS);
    else
      void client
        .call("breakSession", { params: { sessionId: id }, body: { what } })
        .catch(() => undefined);
  };
  return { history, onBreak };
}

function isBack(what: Break | null, connection: Connection, session: SessionView | null): boolean {
  if (connection.state !== "live") return false;
  return what === "agent" || what === "holder" ? session?.runtime.state === "live" : true;
}

/** As a locked phone does it to a page: nothing runs, and nobody is told. */
function freeze(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
