/** One, two or three panes, as the width allows; a phone shows the one that was opened last. */

import type { ReactNode } from "react";
import { classes } from "./tone.ts";

interface PanesProps {
  readonly list: ReactNode;
  /** Null shows the list on a phone, and `empty` beside the list on a wide screen. */
  readonly main: ReactNode | null;
  readonly side: ReactNode | null;
  readonly empty?: ReactNode;
}

export function Panes({ list, main, side, empty }: PanesProps) {
  const isMain = main !== null;
  return (
    <main
      className={classes(
        "grid h-full grid-cols-1 wide:grid-cols-[288px_minmax(0,1fr)]",
        side !== null && "three:grid-cols-[288px_minmax(0,1fr)_368px]",
      )}
    >
      <div
        className={classes("min-h-0 wide:block wide:border-r wide:border-hair", isMain && "hidden")}
      >
        {list}
      </div>
      <div
        className={classes(
          "min-h-0 min-w-0",
          !isMain && "hidden wide:block",
          side !== null && "hidden three:block",
        )}
      >
        {main ?? empty}
      </div>
      {side !== null && (
        <div className="min-h-0 min-w-0 three:border-l three:border-hair">{side}</div>
      )}
    </main>
  );
}
