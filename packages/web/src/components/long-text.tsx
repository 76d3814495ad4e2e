/** Text of any length that takes little room until somebody wants it all. */

import { useState } from "react";
import { cutLines } from "../text/inert.ts";
import { count } from "../words/measures.ts";
import { classes } from "./tone.ts";

interface LongTextProps {
  /** Already inert. */
  readonly text: string;
  readonly lines?: number;
  readonly className?: string;
}

export function LongText({ text, lines = 12, className }: LongTextProps) {
  const [isOpen, setOpen] = useState(false);
  const all = text.split("\n");
  const hidden = all.length - lines;
  const shown = isOpen || hidden <= 1 ? all : all.slice(0, lines);
  return (
    <div>
      <div className={classes("inert whitespace-pre-wrap", className)}>
        {cutLines(shown.join("\n"))}
      </div>
      {hidden > 1 && (
        <button
          type="button"
          className="py-2 text-sm text-quiet underline decoration-edge underline-offset-3 hover:text-ink"
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Show less" : `Show ${count(hidden, "more line")}`}
        </button>
      )}
    </div>
  );
}
