/**
 * What was said and done, along the line. Only what is on the screen exists, so ten thousand parts
 * scroll as well as ten. Screen readers find a log that does not announce every word; what is to be
 * announced is said by the announcer.
 */

import type { ApprovalView } from "@holdfast/protocol";
import { ArrowDown } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { type Row, rowAt } from "../line/rows.ts";
import { figure } from "../words/measures.ts";
import { type RowDoings, RowView } from "./rows/row-view.tsx";
import { useStick } from "./use-stick.ts";

interface TranscriptProps {
  readonly rows: readonly Row[];
  readonly now: number;
  readonly doings: RowDoings;
  /** The workspace: what lies in it is called as from there. */
  readonly root: string | null;
  readonly answers: ReadonlyMap<string, ApprovalView>;
  readonly openSplice?: number | null;
  /** A place in the journal to show; a new object shows it again. */
  readonly jump?: { readonly seq: number } | null;
  readonly sending?: number;
  /** Shown behind the last row: what waits to be sent, for one. */
  readonly children?: ReactNode;
}

/** A guess at a row's height: with one too small, many are drawn that are then not on the screen. */
const ROW = 80;

export function Transcript({
  rows,
  now,
  doings,
  root,
  answers,
  openSplice = null,
  jump = null,
  sending = 0,
  children,
}: TranscriptProps) {
  const list = useRef<VirtualizerHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { isStuck, fresh, pin, onScroll, toEnd, leave } = useStick({
    ...{ scroller, length: rows.length, sending },
  });
  const isPrepended = usePrepended(rows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one jump is made once, whatever grows.
  useEffect(() => {
    if (jump === null) return;
    leave();
    list.current?.scrollToIndex(rowAt(rows, jump.seq), { align: "start" });
  }, [jump]);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label="Transcript"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must by keyboard as well.
        tabIndex={0}
        className="h-full overflow-y-auto overflow-x-hidden overscroll-contain pb-4 -outline-offset-2"
      >
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          data={rows}
          itemSize={ROW}
          shift={isPrepended}
          onScroll={onScroll}
          onResize={pin}
        >
          {(row: Row) => (
            <RowView
              key={row.key}
              row={row}
              now={now}
              doings={doings}
              root={root}
              answers={answers}
              openSplice={openSplice}
            />
          )}
        </Virtualizer>
        {children}
      </div>
      {!isStuck && (
        <button
          type="button"
          className="absolute bottom-4 left-1/2 flex h-11 -translate-x-1/2 items-center gap-2 rounded-full border border-hair bg-raised px-4 text-sm font-medium shadow-float wide:h-9"
          onClick={toEnd}
        >
          <ArrowDown className="size-4" aria-hidden="true" />
          Latest{fresh > 0 && ` (${figure(fresh)} new)`}
        </button>
      )}
    </div>
  );
}

/** Whether rows came before those there were: then what is on the screen must stay where it is. */
function usePrepended(rows: readonly Row[]): boolean {
  const before = useRef({ length: 0, first: "" });
  // The row above the first message only says how many are missing.
  const first = (rows[0]?.kind === "earlier" ? rows[1] : rows[0])?.key ?? "";
  const isPrepended =
    before.current.first !== "" &&
    before.current.first !== first &&
    rows.length > before.current.length;
  useEffect(() => {
    before.current = { length: rows.length, first };
  });
  return isPrepended;
}
