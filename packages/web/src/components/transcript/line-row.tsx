/** One row of the transcript: its piece of the line, its knot, and its content. */

import type { Tone } from "@holdfast/protocol";
import type { CSSProperties, ReactNode } from "react";
import type { KnotShape } from "../../line/knots.ts";
import type { LineTone, RowEdge } from "../../line/rows.ts";
import { classes } from "../../ui/tone.ts";
import { KnotIcon } from "./knot-icon.tsx";

interface LineRowProps {
  readonly line?: LineTone;
  /** The knot; a row without a shape has none. */
  readonly shape?: KnotShape;
  readonly tone?: Tone;
  readonly isLive?: boolean;
  /** The knot's distance from the top: the middle of the row's first line of text. */
  readonly knotY?: string;
  readonly edge?: RowEdge | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}

export function LineRow(props: LineRowProps) {
  const { line = "held", shape, tone = "quiet", isLive = false, knotY = "18px", edge } = props;
  const style = { "--knot-y": knotY } as CSSProperties;
  return (
    <div className="row" data-line={line} data-edge={edge} style={style}>
      {shape && <KnotIcon shape={shape} tone={tone} isLive={isLive} />}
      <div className={classes("content", props.className)}>{props.children}</div>
    </div>
  );
}
