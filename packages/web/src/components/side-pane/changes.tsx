import { count, figure, visibleLine } from "@holdfast/protocol";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Change } from "../../diff/change.ts";
import { LazyDiff } from "../../diff/lazy-diff.tsx";
import { classes } from "../../ui/tone.ts";

export interface ChangesProps {
  readonly changes: readonly Change[];
  /** The changes come from the workspace's git, or only from the agent's own report. */
  readonly source: "disk" | "told";
  /** Why git cannot report the changes; null when it can. */
  readonly problem?: string | null;
  readonly truncated?: boolean;
  readonly onWhole?: (path: string) => void;
}

const sources = {
  disk: { none: "No changes since the last commit.", some: "changed since the last commit" },
  told: {
    none: "The agent reported no changed files.",
    some: "changed, as reported by the agent",
  },
} as const;

export function Changes(props: ChangesProps) {
  const { changes, source, problem = null, truncated = false, onWhole } = props;
  const { none, some } = sources[source];
  const plus = changes.reduce((sum, change) => sum + change.plus, 0);
  const minus = changes.reduce((sum, change) => sum + change.minus, 0);
  return (
    <div>
      {problem !== null && <p className="px-4 pt-3 text-sm text-quiet">{visibleLine(problem)}</p>}
      {changes.length === 0 ? (
        <p className="p-4 text-sm text-quiet">{none}</p>
      ) : (
        <p className="flex gap-2 px-4 pt-3 pb-1 text-xs text-quiet">
          <span className="flex-1">
            {count(changes.length, "file")} {some}
          </span>
          <Counts plus={plus} minus={minus} />
        </p>
      )}
      <ul>
        {changes.map((change) => (
          <ChangeRow key={change.path} change={change} onWhole={onWhole} />
        ))}
      </ul>
      {truncated && (
        <p className="px-4 py-3 text-xs text-quiet">
          Not all changes are shown here. Open a file to see all of its changes.
        </p>
      )}
    </div>
  );
}

interface ChangeRowProps {
  readonly change: Change;
  readonly onWhole: ((path: string) => void) | undefined;
}

function ChangeRow({ change, onWhole }: ChangeRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { path, word, plus, minus, truncated } = change;
  const slash = path.lastIndexOf("/") + 1;
  return (
    <li className="border-b border-hair">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-11 w-full items-center gap-2 px-4 text-left hover:bg-sunken"
        onClick={() => {
          setOpen(!isOpen);
          if (!isOpen && truncated) onWhole?.(path);
        }}
      >
        <ChevronRight
          className={classes("size-4 shrink-0 text-quiet", isOpen && "rotate-90")}
          aria-hidden="true"
        />
        <span className="inert min-w-0 flex-1 py-2 font-mono text-xs">
          <span className="text-quiet">{visibleLine(path.slice(0, slash))}</span>
          {visibleLine(path.slice(slash))}
        </span>
        {word !== null && <span className="shrink-0 text-xs text-quiet">{word}</span>}
        <Counts plus={plus} minus={minus} />
      </button>
      {isOpen && <Opened change={change} />}
    </li>
  );
}

function Opened({ change: { oldPath, note, diffs, truncated } }: { readonly change: Change }) {
  return (
    <div className="px-3 pb-1">
      {oldPath !== null && <Note>It was {visibleLine(oldPath)}.</Note>}
      {note !== null && <Note>{note}</Note>}
      {diffs.length > 1 && <Note>{count(diffs.length, "edit")}, one after the other.</Note>}
      {diffs.map((diff, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: edits of one file have only their order.
        <LazyDiff key={i} diff={diff} lines={400} isPathShown={false} />
      ))}
      {truncated && <Note>Only the beginning is shown.</Note>}
    </div>
  );
}

function Note({ children }: { readonly children: ReactNode }) {
  return <p className="inert px-1 pb-2 text-xs text-quiet">{children}</p>;
}

function Counts({ plus, minus }: { readonly plus: number; readonly minus: number }) {
  if (plus + minus === 0) return null;
  return (
    <span className="shrink-0 text-xs">
      <span className="text-alive">+{figure(plus)}</span>{" "}
      <span className="text-lost">−{figure(minus)}</span>
    </span>
  );
}
