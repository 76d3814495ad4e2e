/** Interrupted work: the reason, the state of the workspace, and the possible actions. */

import {
  type AgentEnd,
  count,
  interruptionWords,
  type Rung,
  visibleLine,
} from "@holdfast/protocol";
import { useState } from "react";
import { useSessionActions } from "../../session-actions.ts";
import { Button, TextButton } from "../../ui/button.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { Scrolling } from "../../ui/scrolling.tsx";
import { Time } from "../../ui/time.tsx";
import { nextRungs } from "../../words/story.ts";

export interface WorkspaceFacts {
  readonly head: string | null;
  readonly branch: string | null;
  readonly dirty: readonly string[];
}

interface ResumeBannerProps {
  readonly reason: string;
  readonly agentEnd?: AgentEnd | undefined;
  readonly at: string;
  readonly now: number;
  readonly facts: WorkspaceFacts | null;
  readonly nextRung: Rung | null;
  /** The obstacle to a resume, or the error of the last attempt. */
  readonly notice: string | null;
  readonly canContinue: boolean;
  readonly isBusy: boolean;
}

export function ResumeBanner(props: ResumeBannerProps) {
  const { continueRun, dismissRun } = useSessionActions();
  const { reason, agentEnd, at, now, facts, nextRung, notice, canContinue, isBusy } = props;
  const why = interruptionWords(reason, agentEnd);
  return (
    <section
      aria-label="Interrupted work"
      className="tray slide-up flex min-h-0 flex-col border-t-2 border-needs-line bg-needs-wash"
    >
      <Scrolling
        label="What was interrupted"
        className="min-h-0 overscroll-contain px-4 pt-3 pb-2 wide:pr-6 wide:pl-13"
      >
        <div className="wide:max-w-[72ch]">
          <div className="flex items-start gap-2 font-semibold">
            <span className="flex h-6 items-center">
              <Glyph glyph="cut" tone="needs" />
            </span>
            <p className="min-w-0 flex-1">
              Session was interrupted.{canContinue && " Resume where you left off?"}
            </p>
            <Time at={at} now={now} className="shrink-0 text-xs leading-6 font-normal text-quiet" />
          </div>
          <p className="mt-1 text-sm">
            During a run: {visibleLine(why)}. The conversation until then is kept.
          </p>
          {facts !== null && <Facts facts={facts} />}
          {notice !== null && <p className="inert mt-1 text-sm">{visibleLine(notice)}</p>}
          {canContinue && nextRung !== null && (
            <p className="mt-1 text-sm text-quiet">{nextRungs[nextRung]}</p>
          )}
        </div>
      </Scrolling>
      <div className="shrink-0 px-4 pt-1 pb-3 short:pb-1 wide:pr-6 wide:pl-13">
        <div className="flex gap-2 *:flex-1 wide:max-w-[72ch] wide:*:flex-none">
          <Button look="main" disabled={!canContinue || isBusy} onClick={continueRun}>
            {isBusy ? "Resuming …" : "Resume"}
          </Button>
          <Button disabled={isBusy} onClick={dismissRun}>
            Dismiss
          </Button>
        </div>
      </div>
    </section>
  );
}

const NAMED = 5;

function Facts({ facts }: { readonly facts: WorkspaceFacts }) {
  const [isOpen, setOpen] = useState(false);
  const { head, branch, dirty } = facts;
  const where = [branch, head?.slice(0, 8)].filter((word) => word != null).join(" at ");
  const files = isOpen ? dirty : dirty.slice(0, NAMED);
  return (
    <div className="mt-2 text-sm">
      <p>
        {where !== "" && <span className="inert font-mono text-xs">{where} · </span>}
        {dirty.length === 0 ? "no files changed" : `${count(dirty.length, "file")} changed`}
      </p>
      <ul className="font-mono text-xs leading-5 text-quiet">
        {files.map((file) => (
          <li key={file} className="inert truncate">
            {visibleLine(file)}
          </li>
        ))}
      </ul>
      {dirty.length > NAMED && !isOpen && (
        <TextButton className="text-xs text-quiet" onClick={() => setOpen(true)}>
          and {dirty.length - NAMED} more
        </TextButton>
      )}
    </div>
  );
}
