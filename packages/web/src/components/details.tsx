/** The facts of a session, and what can be done to it as a whole. */

import type { SessionView } from "@holdfast/protocol";
import type { ReactNode } from "react";
import { visibleLine } from "../text/inert.ts";
import { exactTime, figure } from "../words/measures.ts";
import { stateWord } from "../words/state.ts";
import { Button } from "./button.tsx";
import { classes } from "./tone.ts";

export interface DetailsDoings {
  readonly onPhone: () => void;
  readonly onPause: () => void;
  readonly onEnd: () => void;
}

interface DetailsProps extends DetailsDoings {
  readonly session: SessionView;
  readonly tokens: { readonly input: number; readonly output: number };
  /** The Break-it panel, for demo sessions. */
  readonly children?: ReactNode;
}

export function Details({ session, tokens, onPhone, onPause, onEnd, children }: DetailsProps) {
  const { agentName, model, workspace, isolation, runtime, lastSeq, createdAt, recovery } = session;
  const facts: readonly (readonly [string, string | null])[] = [
    ["State", stateWord(session).word],
    ["Agent", model === null ? agentName : `${agentName}, ${model}`],
    ["Folder", workspace.path],
    ["Branch", workspace.branch],
    ["Boundary", isolation === "none" ? "none: the agent runs as the host does" : isolation],
    ["Process", runtime.state],
    ["Tokens", `${figure(tokens.input)} in, ${figure(tokens.output)} out, in the last run`],
    ["Events", figure(lastSeq)],
    ["Recoveries", figure(recovery.receipts)],
    ["Begun", exactTime(createdAt)],
    ["Id", session.id],
  ];
  return (
    <div className="px-4 py-3">
      {children !== undefined && children !== null && (
        <section className="mb-4 border-b border-hair pb-4">
          <h2 className="font-semibold">Break it</h2>
          {children}
        </section>
      )}
      <dl className="grid grid-cols-[96px_1fr] gap-y-1.5 text-sm">
        {facts.map(([name, fact]) =>
          fact === null ? null : (
            <div key={name} className="contents">
              <dt className="text-quiet">{name}</dt>
              <dd className={classes("inert", name === "Id" && "font-mono text-xs leading-5")}>
                {visibleLine(fact)}
              </dd>
            </div>
          ),
        )}
      </dl>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button onClick={onPhone}>Open on a phone</Button>
        <Button onClick={onPause}>Put to sleep</Button>
        <Button look="danger" onClick={onEnd}>
          End session
        </Button>
      </div>
    </div>
  );
}
