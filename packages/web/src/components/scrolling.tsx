import type { ReactNode } from "react";
import { classes } from "./tone.ts";

interface ScrollingProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** What is wider or longer than its place. It scrolls by keyboard as well, so it takes the focus. */
export function Scrolling({ label, className, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, and there are none.
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard could not scroll.
      tabIndex={0}
      className={classes("overflow-auto -outline-offset-2", className)}
    >
      {children}
    </div>
  );
}
