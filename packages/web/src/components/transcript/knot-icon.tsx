/** The mark of an event on the line. It covers the line behind it. */

import type { Tone } from "@holdfast/protocol";
import type { ReactNode } from "react";
import type { KnotShape } from "../../line/knots.ts";
import { stroke } from "../../ui/glyph.tsx";
import { classes, toneText } from "../../ui/tone.ts";

const open = { fill: "var(--paper)", stroke: "currentColor", strokeWidth: 1.75 } as const;

const shapes: Readonly<Record<KnotShape, ReactNode>> = {
  prompt: <circle cx="8" cy="8" r="5" fill="currentColor" />,
  tool: <circle cx="8" cy="8" r="3.2" {...open} />,
  ask: <path d="M8 2.5 13.5 8 8 13.5 2.5 8Z" {...open} />,
  checkpoint: <path d="M4.5 4.5h7v7h-7Z" {...open} />,
  end: <path d="M3.5 8h9" {...stroke} strokeWidth="2" />,
  pause: (
    <>
      <path d="M3 1h10v14H3Z" fill="var(--paper)" />
      <path d="M5.5 4v8M10.5 4v8" {...stroke} strokeWidth="2" />
    </>
  ),
  cut: (
    <>
      <path d="M4 3.5h8v9H4Z" fill="var(--paper)" />
      <path d="M3 5.5 13 2M3 14 13 10.5" {...stroke} />
    </>
  ),
  splice: (
    <g className="splice">
      <path d="M3-4h10v24H3Z" fill="var(--paper)" stroke="none" />
      <path d="M8-5c6 2 6 4.3 0 6.5s-6 4.3 0 6.5 6 4.3 0 6.5-6 4.3 0 6.5" {...stroke} />
      <path d="M8-5c-6 2-6 4.3 0 6.5s6 4.3 0 6.5-6 4.3 0 6.5 6 4.3 0 6.5" {...stroke} />
    </g>
  ),
};

export function KnotIcon({
  shape,
  tone,
  isLive = false,
}: {
  shape: KnotShape;
  tone: Tone;
  isLive?: boolean;
}) {
  return (
    <svg
      viewBox="0 0 16 16"
      className={classes("knot", toneText[tone], isLive && "pulse")}
      aria-hidden="true"
    >
      {shapes[shape]}
    </svg>
  );
}
