/** A paused session: why it is paused, and how to resume it. */

import type { Rung } from "@holdfast/protocol";
import { visible } from "../text/inert.ts";
import { nextRungs } from "../words/story.ts";
import { Button } from "./button.tsx";
import { Glyph } from "./glyph.tsx";

export interface PausedShown {
  /** True when a run is paused in it, which continues on resume. */
  readonly isRun: boolean;
  readonly why: string | null;
  /** True when the host would revive the session on request. */
  readonly canResume: boolean;
  /** The obstacle to a resume, or the error of the last attempt. */
  readonly hindrance: string | null;
  readonly nextRung: Rung | null;
}

interface PausedBarProps {
  readonly paused: PausedShown;
  readonly isBusy: boolean;
  readonly onResume: () => void;
}

export function PausedBar({ paused, isBusy, onResume }: PausedBarProps) {
  const { isRun, why, canResume, hindrance, nextRung } = paused;
  return (
    <section
      aria-label={isRun ? "Paused run" : "Asleep"}
      className="flex items-center gap-3 border-t border-hair px-4 py-2 text-sm wide:pr-6 wide:pl-13"
    >
      <div className="min-w-0 flex-1 wide:max-w-[72ch]">
        <p className="flex flex-wrap items-center gap-x-2">
          <Glyph glyph="paused" tone="asleep" />
          <strong className="font-medium text-asleep">
            {isRun ? "Generation paused" : "Asleep"}
          </strong>
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
        <Button disabled={isBusy} onClick={onResume}>
          {isBusy ? "Waking …" : isRun ? "Resume" : "Wake"}
        </Button>
      )}
    </section>
  );
}
