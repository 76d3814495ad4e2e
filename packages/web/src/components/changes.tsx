/** What the session changed in its workspace, per file. */

import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { LazyDiff } from "../diff/lazy-diff.tsx";
import { type FileDiff, sizeOf } from "../line/parts.ts";
import { visibleLine } from "../text/inert.ts";
import { count } from "../words/measures.ts";
import { classes } from "./tone.ts";

export function Changes({
  changes,
  open = null,
}: {
  readonly changes: readonly FileDiff[];
  readonly open?: string | null;
}) {
  if (changes.length === 0) {
    return <p className="p-4 text-sm text-quiet">No file was changed, as far as the agent told.</p>;
  }
  return (
    <div>
      <p className="px-4 pt-3 pb-1 text-xs text-quiet">
        {count(changes.length, "file")} changed, as the agent told
      </p>
      <ul>
        {changes.map((diff) => (
          <Change key={diff.path} diff={diff} isOpenAtFirst={diff.path === open} />
        ))}
      </ul>
    </div>
  );
}

function Change({
  diff,
  isOpenAtFirst,
}: {
  readonly diff: FileDiff;
  readonly isOpenAtFirst: boolean;
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { plus, minus } = sizeOf(diff);
  const slash = diff.path.lastIndexOf("/") + 1;
  return (
    <li className="border-b border-hair">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-11 w-full items-center gap-2 px-4 text-left hover:bg-sunken"
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight
          className={classes("size-4 shrink-0 text-quiet", isOpen && "rotate-90")}
          aria-hidden="true"
        />
        {/* The end of a path says most: the folders give way first. */}
        <span className="flex min-w-0 flex-1 font-mono text-xs">
          <span className="inert truncate text-quiet">
            {visibleLine(diff.path.slice(0, slash))}
          </span>
          <span className="inert shrink-0">{visibleLine(diff.path.slice(slash))}</span>
        </span>
        <span className="shrink-0 text-xs">
          <span className="text-alive">+{plus}</span> <span className="text-lost">−{minus}</span>
        </span>
      </button>
      {isOpen && (
        <div className="px-3 pb-1">
          <LazyDiff diff={diff} lines={400} isPathShown={false} />
        </div>
      )}
    </li>
  );
}
