/** A recovery, drawn over its cut, that expands to its receipt. */

import {
  count,
  type RanAgain,
  type Receipt,
  ranAgainWords,
  spliceWords,
  visible,
} from "@holdfast/protocol";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { RowEdge } from "../../line/rows.ts";
import type { CutPlace, Whole } from "../../markdown/cut-place.ts";
import { exactly } from "../../ui/time.tsx";
import { classes, toneText } from "../../ui/tone.ts";
import { clock } from "../../words/measures.ts";
import { LineRow } from "./line-row.tsx";

interface SpliceRowProps {
  readonly edge?: RowEdge | undefined;
  readonly receipt: Receipt;
  readonly again: readonly RanAgain[];
  readonly inside?: CutPlace["inside"];
  readonly isOpenAtFirst?: boolean;
}

/** Shown when a recovery happened in the middle of the block before the splice. */
const insideWords: Readonly<Record<Whole, string>> = {
  code: "This happened while the code above was being written.",
  table: "This happened while the table above was being written.",
  list: "This happened while the list item above was being written.",
  text: "This happened while the words above were being written.",
};

export function SpliceRow(props: SpliceRowProps) {
  const { receipt, again, edge, inside = null, isOpenAtFirst = false } = props;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <LineRow
      line="held"
      edge={edge}
      knot={{ shape: "splice", tone: "recovered" }}
      knotY="24px"
      className="py-1"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-10 w-full items-center gap-2 text-left text-sm"
        onClick={() => setOpen(!isOpen)}
      >
        <span className="min-w-0 flex-1 font-medium text-recovered">
          {spliceWords(receipt)}
          {again.length > 0 && <span className="text-needs">{` ${headline(again)}`}</span>}
        </span>
        <time
          dateTime={receipt.ts}
          {...exactly(receipt.ts)}
          className="shrink-0 text-xs text-quiet"
        >
          {clock(receipt.ts)}
        </time>
        <ChevronRight
          className={classes("size-4 shrink-0 text-quiet", isOpen && "rotate-90")}
          aria-hidden="true"
        />
      </button>
      {inside !== null && <p className="-mt-1.5 mb-2 text-xs text-quiet">{insideWords[inside]}</p>}
      {isOpen && <ReceiptFacts receipt={receipt} again={again} />}
    </LineRow>
  );
}

function headline(again: readonly RanAgain[]): string {
  const perhaps = again.some(({ exact }) => exact) ? "" : "Perhaps ";
  return `${perhaps}${count(again.length, "tool call")} ran again.`;
}

function ReceiptFacts({ receipt, again }: Pick<SpliceRowProps, "receipt" | "again">) {
  const { kept, lost, maybeTwice } = receipt;
  return (
    <dl className="mb-3 grid gap-x-4 gap-y-3 border-l border-recovered-line/40 pl-3 text-sm wide:grid-cols-[128px_1fr]">
      <Facts name="Kept" facts={kept} tone="alive" />
      <Facts name="Lost" facts={lost} tone="lost" />
      {(maybeTwice.length > 0 || again.length === 0) && (
        <Facts name="May have run twice" facts={maybeTwice} nothing="none known" tone="needs" />
      )}
      {again.length > 0 && <Facts name="Ran again" facts={ranAgainWords(again)} tone="needs" />}
    </dl>
  );
}

interface FactsProps {
  readonly name: string;
  readonly facts: readonly string[];
  readonly nothing?: string;
  readonly tone: "alive" | "lost" | "needs";
}

function Facts({ name, facts, nothing = "nothing", tone }: FactsProps) {
  const isNothing = facts.length === 0;
  return (
    <>
      <dt className={classes("font-medium", isNothing ? "text-quiet" : toneText[tone])}>{name}</dt>
      <dd className="-mt-2 wide:mt-0">
        {isNothing ? (
          <span className="text-quiet">{nothing}</span>
        ) : (
          <ul>
            {facts.map((fact) => (
              <li key={fact} className="inert">
                {visible(fact)}
              </li>
            ))}
          </ul>
        )}
      </dd>
    </>
  );
}
