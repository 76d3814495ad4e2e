/** The Break-it panel of demo sessions: breaks a part on purpose and shows how it recovers. */

import { duration, visibleLine } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/tone.ts";

/** The time in ms for which this page is offline or frozen. */
export const CUT_MS = 10_000;

/** A second press within this time in ms confirms the first. */
const SURE_MS = 5000;

export const breaks = {
  host: {
    name: "Kill the host",
    does: "Stops the host process for all sessions. Agents keep running, and the host reconnects to them when it restarts. npm start restarts it at once; otherwise start it yourself.",
  },
  holder: {
    name: "Kill the agent’s parent process",
    does: "Kills the parent process of this session’s agent, and the agent with it. What was said is kept. If the agent had not received your message, it restarts by itself. Otherwise press Resume, or answer its question.",
  },
  agent: {
    name: "Kill the agent",
    does: "Kills this session’s agent in the middle of its work. What was said is kept. If the agent had not received your message, it restarts by itself. Otherwise press Resume, or answer its question.",
  },
  network: {
    name: "Cut my network",
    does: `Cuts only this page off from the host, for ${duration(CUT_MS)}. Messages you write meanwhile are saved and sent later.`,
  },
  tab: {
    name: "Freeze this tab",
    does: `Stops this page for ${duration(CUT_MS)}, like a locked phone. Then it catches up.`,
  },
} as const;

export type Break = keyof typeof breaks;

export interface Broken {
  readonly what: Break;
  readonly is: "away" | "back" | "refused";
  readonly words: string;
}

interface BreakItProps {
  readonly history: readonly Broken[];
  readonly onBreak: (what: Break) => void;
}

export function BreakIt({ history, onBreak }: BreakItProps) {
  const [sure, setSure] = useState<Break | null>(null);
  useEffect(() => {
    if (sure === null) return;
    const timer = setTimeout(() => setSure(null), SURE_MS);
    return () => clearTimeout(timer);
  }, [sure]);
  return (
    <div>
      <p className="text-sm text-quiet">
        These failures are real. You lose nothing that you see here.
      </p>
      <History history={history} />
      <ul className="mt-2 divide-y divide-hair">
        {(Object.keys(breaks) as Break[]).map((what) => (
          <li key={what} className="flex items-start gap-3 py-3">
            <div className="min-w-0 flex-1">
              <h3 className="text-sm font-medium">{breaks[what].name}</h3>
              <p className="text-sm text-quiet">{breaks[what].does}</p>
            </div>
            <Button
              look={sure === what ? "danger" : "plain"}
              aria-label={sure === what ? `Really? ${breaks[what].name}` : breaks[what].name}
              className="w-22 shrink-0"
              onClick={() => {
                if (sure === what) onBreak(what);
                setSure(sure === what ? null : what);
              }}
            >
              {sure === what ? "Really?" : breaks[what].name.split(" ")[0]}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const looks = { away: "text-quiet", back: "text-recovered", refused: "text-lost" } as const;

function History({ history }: Pick<BreakItProps, "history">) {
  if (history.length === 0) return null;
  return (
    <section className="mt-3 border-y border-hair py-3 text-sm" aria-label="Results">
      <ol className="grid gap-1.5">
        {history.map(({ what, is, words }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever added at the end.
          <li key={i} className="flex justify-between gap-4">
            <span className="shrink-0">{breaks[what].name}</span>
            <span className={classes("inert text-right", looks[is])}>{visibleLine(words)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
