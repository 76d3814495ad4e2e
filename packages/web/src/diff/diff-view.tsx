/** Loaded when the first change is shown. Unified, on a phone too: two columns of code fit nowhere. */

import { useMemo, useState } from "react";
import { Scrolling } from "../components/scrolling.tsx";
import { classes } from "../components/tone.ts";
import { cutLines, visible, visibleLine } from "../text/inert.ts";
import { count } from "../words/measures.ts";
import { type DiffLine, diffLinesOf } from "./hunks.ts";
import type { DiffViewProps } from "./lazy-diff.tsx";
import { patchLines } from "./patch.ts";

export default function DiffView({ diff, lines = 12, isPathShown = true }: DiffViewProps) {
  const [isOpen, setOpen] = useState(false);
  const all = useMemo(() => linesOf(diff), [diff]);
  const hidden = all.length - lines;
  const shown = isOpen || hidden <= 2 ? all : all.slice(0, lines);
  return (
    <figure className="mb-2 overflow-hidden rounded border border-hair">
      {isPathShown && (
        <figcaption className="inert border-b border-hair px-3 py-1.5 font-mono text-xs text-quiet">
          {visibleLine(diff.path)}
          {"before" in diff && diff.before === null && " · new"}
        </figcaption>
      )}
      <Scrolling label={`Changes in ${diff.path}`}>
        <div className="code w-max min-w-full py-1">
          {shown.map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are the lines of one text, in order.
            <Line key={i} line={line} />
          ))}
        </div>
      </Scrolling>
      {hidden > 2 && !isOpen && (
        <button
          type="button"
          className="w-full border-t border-hair px-3 py-2 text-left text-xs text-quiet hover:bg-sunken hover:text-ink"
          onClick={() => setOpen(true)}
        >
          Show {count(hidden, "more line")}
        </button>
      )}
    </figure>
  );
}

function linesOf(diff: DiffViewProps["diff"]): readonly DiffLine[] {
  return "patch" in diff ? patchLines(diff.patch) : diffLinesOf(diff.before ?? "", diff.after);
}

const washes = { " ": "", "+": "bg-alive-wash", "−": "bg-lost-wash" } as const;
const signs = { " ": "", "+": "text-alive", "−": "text-lost" } as const;

function Line({ line }: { readonly line: DiffLine }) {
  if (line.sign === "…") {
    return <div className="px-3 text-quiet">… {count(line.hidden, "line")}</div>;
  }
  return (
    <div className={classes("grid grid-cols-[32px_16px_auto] pr-3", washes[line.sign])}>
      <span className="pr-2 text-right text-quiet select-none">{line.at}</span>
      <span className={classes("select-none", signs[line.sign])}>{line.sign}</span>
      <span className="inert whitespace-pre">{cutLines(visible(line.text), 400) || " "}</span>
    </div>
  );
}
