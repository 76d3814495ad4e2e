/** One row of the transcript: its piece of the line, its knot, and its content. */

import type { Tone } from "@holdfast/protocol";
import type { CSSProperties, ReactNode } from "react";
import type { KnotShape } from "../../line/knots.ts";
import type { LineTone, RowEdge } from "../../line/rows.ts";
import { classes } from "../../ui/tone.ts";
import { KnotIcon } from "./knot-icon.tsx";

interface LineRowProps {
  readonly line: LineTone;
  readonly knot?: { readonly shape: KnotShape; readonly tone: Tone; readonly isLive?: boolean };
  /** The knot's distance from the top: the middle of the row's first line of text. */
  readonly knotY?: string;
  readonly edge?: RowEdge | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}

export function LineRow({ line, knot, knotY = "18px", edge, className, children }: LineRowProps) {
  const style = { "--knot-y": knotY } as CSSProperties;
  return (
    <div className="row" data-line={line} data-edge={edge} style={style}>
      {knot && <KnotIcon {...knot} />}
      <div className={classes("content", className)}>{children}</div>
    </div>
  );
}
