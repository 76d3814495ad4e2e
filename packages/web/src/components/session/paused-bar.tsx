/** A session that is paused or lost its folder: the reason, and how to resume it. */

import { type Rung, visible } from "@holdfast/protocol";
import { useSessionActions } from "../../session-actions.ts";
import { Button } from "../../ui/button.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { classes, toneText } from "../../ui/tone.ts";
import { nextRungs } from "../../words/story.ts";

export interface PausedShown {
  /** A paused `run` continues on resume; with `folder_gone` the agent may be up. */
  readonly is: "run" | "asleep" | "not_running" | "folder_gone";
  readonly why: string | null;
  /** True when the host would revive the session on request. */
  readonly canResume: boolean;
  /** The obstacle to a resume, or the error of the last attempt. */
  readonly hindrance: string | null;
  readonly nextRung: Rung | null;
}

const looks = {
  run: { label: "Paused run", title: "Generation paused", glyph: "paused", tone: "asleep" },
  asleep: { label: "Agent paused", title: "Agent paused", glyph: "paused", tone: "asleep" },
  not_running: {
    label: "Agent not running",
    title: "Agent not running",
    glyph: "paused",
    tone: "asleep",
  },
  folder_gone: { label: "Folder gone", title: "Folder gone", glyph: "cut", tone: "needs" },
} as const;

interface PausedBarProps {
  readonly paused: PausedShown;
  readonly isBusy: boolean;
}

export function PausedBar({ paused, isBusy }: PausedBarProps) {
  const { resume } = useSessionActions();
  const { is, why, canResume, hindrance, nextRung } = paused;
  const { label, title, glyph, tone } = looks[is];
  return (
    <section
      aria-label={label}
      className="flex items-center gap-3 border-t border-hair px-4 py-2 text-sm wide:pr-6 wide:pl-13"
    >
      <div className="min-w-0 flex-1 wide:max-w-[72ch]">
        <p className="flex flex-wrap items-center gap-x-2">
          <Glyph glyph={glyph} tone={tone} />
          <strong className={classes("font-medium", toneText[tone])}>{title}</strong>
          {why !== null && <span className="text-quiet">{why}</span>}
        </p>
        {hindrance !== null ? (
          <p className="inert mt-0.5">{visible(hindrance)}</p>
        ) : (
          canResume &&
          nextRung !== null &&
          nextRung !== "live" && <p className="mt-0.5 text-quiet">{nextRungs[nextRung]}</p>
        )}
      </div>
      {canResume && (
        <Button disabled={isBusy} onClick={resume}>
          {isBusy ? "Resuming …" : "Resume"}
        </Button>
      )}
    </section>
  );
}
