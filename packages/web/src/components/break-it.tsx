/** Break it, and watch it come back: the product shown instead of described. For demo sessions. */

import { useState } from "react";
import { duration } from "../words/measures.ts";
import { Button } from "./button.tsx";
import { classes } from "./tone.ts";

export const breaks = {
  host: {
    name: "Kill the host",
    does: "Its agent works on in its holder. The page waits, and the new host adopts it.",
    verb: "Kill",
  },
  holder: {
    name: "Kill the holder",
    does: "The process that owns the agent goes, and the agent with it. The session climbs the ladder.",
    verb: "Kill",
  },
  agent: {
    name: "Kill the agent",
    does: "In the middle of its work. What it said is kept; it is resumed with its memory checked.",
    verb: "Kill",
  },
  network: {
    name: "Cut my network",
    does: "This page loses the host for ten seconds. Write something meanwhile: it is kept and sent.",
    verb: "Cut",
  },
  tab: {
    name: "Freeze this tab",
    does: "As a locked phone does, for ten seconds. Then it shows what happened while you were away.",
    verb: "Freeze",
  },
} as const;

export type Break = keyof typeof breaks;

export interface Broken {
  readonly what: Break;
  /** Null while it is not back. */
  readonly backAfterMs: number | null;
  readonly how: string | null;
}

interface BreakItProps {
  readonly history: readonly Broken[];
  readonly onBreak: (what: Break) => void;
}

export function BreakIt({ history, onBreak }: BreakItProps) {
  const [sure, setSure] = useState<Break | null>(null);
  return (
    <div>
      <p className="text-sm text-quiet">
        Really done, to this session only. Nothing you see is lost by any of them.
      </p>
      <ul className="mt-2 divide-y divide-hair">
        {(Object.keys(breaks) as Break[]).map((what) => (
          <li key={what} className="flex items-start gap-3 py-3">
            <div className="min-w-0 flex-1">
              <h3 className="text-sm font-medium">{breaks[what].name}</h3>
              <p className="text-sm text-quiet">{breaks[what].does}</p>
            </div>
            <Button
              look="danger"
              className="min-w-20"
              onClick={() => {
                if (sure === what) onBreak(what);
                setSure(sure === what ? null : what);
              }}
            >
              {sure === what ? "Really?" : breaks[what].verb}
            </Button>
          </li>
        ))}
      </ul>
      <History history={history} />
    </div>
  );
}

function History({ history }: Pick<BreakItProps, "history">) {
  if (history.length === 0) return null;
  return (
    <section className="border-t border-hair pt-3 text-sm" aria-label="What came of it">
      <ol className="grid gap-1.5">
        {history.map(({ what, backAfterMs, how }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever added at the end.
          <li key={i} className="flex justify-between gap-4">
            <span>{breaks[what].name}</span>
            <span
              className={classes(
                "text-right",
                backAfterMs === null ? "text-quiet" : "text-recovered",
              )}
            >
              {backAfterMs === null ? "coming back …" : `back after ${duration(backAfterMs)}`}
              {how !== null && `, ${how}`}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
