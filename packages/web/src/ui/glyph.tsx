/** A session's state as an icon, always with its word beside it or for screen readers. */

import type { ReactNode } from "react";
import type { GlyphName, StateWord } from "../words/state.ts";
import { classes, toneText } from "./tone.ts";

export const stroke = {
  fill: "none",
  stroke: "currentColor",
  strokeWidth: 1.75,
  strokeLinecap: "round",
} as const;

/** Each shape is a piece of the line: whole, cut, dashed, or a knot on it. */
const shapes: Readonly<Record<GlyphName, ReactNode>> = {
  needs: (
    <>
      <path d="M8 1.2 14.8 8 8 14.8 1.2 8Z" fill="currentColor" />
      <path d="M8 5v3.4M8 10.8v.2" stroke="var(--paper)" strokeWidth="1.75" strokeLinecap="round" />
    </>
  ),
  cut: <path d="M8 1v3.5M8 11.5V15M4.5 7.5 11.5 4.5M4.5 11.5 11.5 8.5" {...stroke} />,
  failed: <path d="M8 1v9M4 13h8" {...stroke} />,
  working: (
    <>
      <path d="M8 1v14" {...stroke} />
      <circle cx="8" cy="8" r="4" fill="currentColor" />
    </>
  ),
  unreachable: <circle cx="8" cy="8" r="5" {...stroke} strokeDasharray="2.6 2.64" />,
  paused: <path d="M5.5 3.5v9M10.5 3.5v9" {...stroke} strokeWidth="2" />,
  fresh: <circle cx="8" cy="8" r="2" fill="currentColor" />,
  idle: <circle cx="8" cy="8" r="4" {...stroke} />,
  ended: <path d="M4.5 8h7" {...stroke} />,
  damaged: <path d="m4 4 8 8M12 4l-8 8" {...stroke} strokeWidth="2" />,
};

/** An icon of strokes, in the colour of its text. */
export function Stroke({
  className,
  children,
}: {
  readonly className: string;
  readonly children: ReactNode;
}) {
  return (
    <svg
      viewBox="0 0 16 16"
      {...stroke}
      className={classes("size-4 shrink-0", className)}
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export function Glyph({
  glyph,
  tone,
  isLive = false,
}: Pick<StateWord, "glyph" | "tone"> & { isLive?: boolean }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className={classes(
        "size-4 shrink-0",
        toneText[tone],
        isLive && glyph === "working" && "pulse",
      )}
      aria-hidden="true"
    >
      {shapes[glyph]}
    </svg>
  );
}
