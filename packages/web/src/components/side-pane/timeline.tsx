/** The timeline: the knots of the transcript as a short list, each to jump to. */

import { visibleLine } from "@holdfast/protocol";
import type { Knot } from "../../line/knots.ts";
import { ClockTime } from "../../ui/time.tsx";
import { classes, toneText } from "../../ui/tone.ts";
import { KnotIcon } from "../transcript/knot-icon.tsx";

interface TimelineProps {
  readonly knots: readonly Knot[];
  readonly onJump: (seq: number) => void;
}

export function Timeline({ knots, onJump }: TimelineProps) {
  return (
    <ol className="timeline py-2">
      {knots.map((knot, i) => (
        <li key={knot.seq}>
          <button
            type="button"
            className="row min-h-9 w-full text-left text-sm hover:bg-sunken"
            data-line="held"
            data-edge={i === 0 ? "first" : i === knots.length - 1 ? "last" : undefined}
            onClick={() => onJump(knot.seq)}
          >
            <KnotIcon shape={knot.shape} tone={knot.tone} />
            <span className="content flex items-baseline gap-3 py-1.5">
              <span
                className={classes(
                  "inert min-w-0 flex-1 truncate",
                  knot.shape === "prompt" ? "font-medium" : toneText[knot.tone],
                )}
              >
                {visibleLine(knot.words)}
              </span>
              <ClockTime at={knot.at} />
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
