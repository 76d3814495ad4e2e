/** A recovery, drawn over its cut, that expands to its receipt. */

import {
  count,
  type RanAgain,
  type Receipt,
  ranAgainWords,
  spliceWords,
  visible,
} from "@holdfast/protocol";
import { useState } from "react";
import type { RowEdge } from "../../line/rows.ts";
import type { CutPlace, Whole } from "../../markdown/cut-place.ts";
import { ClockTime } from "../../ui/time.tsx";
import { classes, toneText } from "../../ui/tone.ts";
import { LineRow } from "./line-row.tsx";
import { Unfold } from "./unfold.tsx";

interface SpliceRowProps {
  readonly edge?: RowEdge | undefined;
  readonly receipt: Receipt;
  readonly again: readonly RanAgain[];
  readonly inside?: CutPlace["inside"];
}

/** Shown when a recovery happened in the middle of the block before the splice. */
const insideWords: Readonly<Record<Whole, string>> = {
  code: "This happened while the code above was being written.",
  table: "This happened while the table above was being written.",
  list: "This happened while the list item above was being written.",
  text: "This happened while the words above were being written.",
};

export function SpliceRow(props: SpliceRowProps) {
  const { receipt, again, edge, inside = null } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <LineRow edge={edge} shape="splice" tone="recovered" knotY="24px" className="py-1">
      <Unfold isOpen={isOpen} onPress={() => setOpen(!isOpen)}>
        <span className="min-w-0 flex-1 font-medium text-recovered">
          {spliceWords(receipt)}
          {again.length > 0 && <span className="text-needs">{` ${headline(again)}`}</span>}
        </span>
        <ClockTime at={receipt.ts} />
      </Unfold>
      {inside !== null && <p className="-mt-1.5 mb-2 text-xs text-quiet">{insideWords[inside]}</p>}
      {isOpen && <ReceiptFacts receipt={receipt} again={again} />}
    </LineRow>
  );
}

function headline(again: readonly RanAgain[]): string {
  const perhaps = again.some(({ exact, otherResult }) => exact && !otherResult) ? "" : "Perhaps ";
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
