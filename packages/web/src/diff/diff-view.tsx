/** Shows a diff, always unified: two columns of code do not fit. */

import { bytes, count, visible, visibleLine } from "@holdfast/protocol";
import { useMemo, useState } from "react";
import { diffOf, type LongDiff } from "../line/parts.ts";
import { useWholeText } from "../session-actions.ts";
import { cutLines } from "../text/output.ts";
import { Scrolling } from "../ui/scrolling.tsx";
import { classes } from "../ui/tone.ts";
import { isNewFile } from "./change.ts";
import { type DiffLine, diffLinesOf } from "./hunks.ts";
import type { DiffViewProps } from "./lazy-diff.tsx";
import { patchLines } from "./patch.ts";

/** Lines that each press adds: thousands at once would block the page. */
const STEP = 400;

export default function DiffView(props: DiffViewProps) {
  const { diff, lines = 12, isPathShown = true, isWrapped = false } = props;
  const [more, setMore] = useState(0);
  const [whole, setWhole] = useState<DiffViewProps["diff"] | null>(null);
  const all = useMemo(() => linesOf(whole ?? diff), [whole, diff]);
  const most = lines + more;
  const hidden = all.length - most;
  const shown = hidden <= 2 ? all : all.slice(0, most);
  const isCut = whole === null && "blob" in diff && diff.truncated;
  return (
    <figure className="mb-2 overflow-hidden rounded border border-hair">
      {isPathShown && (
        <figcaption
          dir="auto"
          className={classes(
            "inert px-3 py-1.5 font-mono text-xs text-quiet",
            shown.length > 0 && "border-b border-hair",
          )}
        >
          {visibleLine(diff.path)}
          {isNewFile(diff) && " · new"}
        </figcaption>
      )}
      {shown.length > 0 && (
        <Scrolling label={`Changes in ${diff.path}`}>
          <div className={classes("code min-w-full py-1", !isWrapped && "w-max")}>
            {shown.map((line, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they are the lines of one text, in order.
              <Line key={i} line={line} isWrapped={isWrapped} />
            ))}
          </div>
        </Scrolling>
      )}
      {hidden > 2 && (
        <button type="button" data-opens className={button} onClick={() => setMore(more + STEP)}>
          Show {count(Math.min(hidden, STEP), "more line")}
          {hidden > STEP && ` of ${count(hidden, "line")}`}
        </button>
      )}
      {hidden <= 2 && isCut && <Rest diff={diff} onWhole={setWhole} />}
    </figure>
  );
}

const button =
  "w-full border-t border-hair px-3 py-2 text-left text-xs text-quiet hover:bg-sunken hover:text-ink pointer-coarse:min-h-11";

interface RestProps {
  readonly diff: LongDiff;
  readonly onWhole: (whole: DiffViewProps["diff"]) => void;
}

/** A diff that the host truncated: fetches both texts on request and compares them here. */
function Rest({ diff, onWhole }: RestProps) {
  const fetchWhole = useWholeText();
  const [state, setState] = useState<"asked" | "failed" | null>(null);
  const size = bytes(diff.blob.bytes);
  if (fetchWhole === null) return <p className={button}>… {size} in all</p>;
  const ask = () => {
    setState("asked");
    fetchWhole(diff.blob.hash)
      .then((text) => diffOf(JSON.parse(text)))
      .then((found) => (found === null ? setState("failed") : onWhole(found)))
      .catch(() => setState("failed"));
  };
  return (
    <button type="button" data-opens className={button} disabled={state === "asked"} onClick={ask}>
      {state === "asked" ? "Loading…" : `Show the whole change (${size} of text)`}
      {state === "failed" && ": it could not be loaded. Try again?"}
    </button>
  );
}

function linesOf(diff: DiffViewProps["diff"]): readonly DiffLine[] {
  return "patch" in diff ? patchLines(diff.patch) : diffLinesOf(diff.before ?? "", diff.after);
}

const washes = { " ": "", "+": "bg-alive-wash", "−": "bg-lost-wash" } as const;
const signs = { " ": "", "+": "text-alive", "−": "text-lost" } as const;

function Line({ line, isWrapped }: { readonly line: DiffLine; readonly isWrapped: boolean }) {
  if (line.sign === "…") {
    return <div className="px-3 text-quiet">… {count(line.hidden, "line")}</div>;
  }
  return (
    <div
      className={classes(
        "grid pr-3",
        isWrapped ? "grid-cols-[32px_16px_minmax(0,1fr)]" : "grid-cols-[32px_16px_auto]",
        washes[line.sign],
      )}
    >
      <span className="pr-2 text-right text-quiet select-none">{line.at}</span>
      <span className={classes("select-none", signs[line.sign])}>{line.sign}</span>
      {isWrapped ? (
        <span className="inert whitespace-pre-wrap">{visible(line.text) || " "}</span>
      ) : (
        <span className="inert whitespace-pre">{cutLines(visible(line.text), 400) || " "}</span>
      )}
    </div>
  );
}
