/**
 * What was said and done, along the line. Only what is on the screen exists, so ten thousand parts
 * scroll as well as ten. Screen readers find a log that does not announce every word; what is to be
 * announced is said by the announcer.
 */

import { ArrowDown } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { type Row, rowAt } from "../line/rows.ts";
import { figure } from "../words/measures.ts";
import { type RowDoings, RowView } from "./rows/row-view.tsx";
import { type PlaceStorage, usePlace } from "./use-place.ts";
import { useStick } from "./use-stick.ts";

interface TranscriptProps {
  readonly rows: readonly Row[];
  readonly now: number;
  readonly doings: RowDoings;
  /** The workspace: what lies in it is called as from there. */
  readonly root: string | null;
  readonly openSplice?: number | null;
  /** A place in the journal to show; a new object shows it again. */
  readonly jump?: { readonly seq: number } | null;
  /** Keeps the place of a reader; null where nothing is kept. */
  readonly places?: PlaceStorage | null;
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
  openSplice = null,
  jump = null,
  places = null,
  sending = 0,
  children,
}: TranscriptProps) {
  const list = useRef<VirtualizerHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { isStuck, fresh, settle, onScroll, toEnd, leave } = useStick({
    ...{ scroller, length: rows.length, sending },
  });
  const { note } = usePlace({ scroller, list, rows, isStuck, leave, storage: places });
  const isPrepended = usePrepended(rows);
  const stable = useStable(doings);
  useJump({ jump, rows, scroller, list, leave });
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
          onScroll={() => {
            onScroll();
            note();
          }}
          onResize={settle}
        >
          {(row: Row) => (
            <div key={row.key} data-row={row.key}>
              <RowView
                row={row}
                // The only row that says how long ago: others are not drawn again for a clock.
                now={row.kind === "prompt" ? now : 0}
                doings={stable}
                root={root}
                openSplice={openSplice}
              />
            </div>
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

/** The same object while the same things can be done, so that rows are not drawn again for it. */
function useStable(doings: RowDoings): RowDoings {
  const latest = useRef(doings);
  useLayoutEffect(() => {
    latest.current = doings;
  });
  const canTakeUp = doings.onTakeUp !== null;
  const canDismiss = doings.onDismissFailed !== null;
  return useMemo(
    () => ({
      onEarlier: () => latest.current.onEarlier(),
      onRetry: (from) => latest.current.onRetry(from),
      onTakeUp: canTakeUp ? () => latest.current.onTakeUp?.() : null,
      onDismissFailed: canDismiss ? () => latest.current.onDismissFailed?.() : null,
    }),
    [canTakeUp, canDismiss],
  );
}

interface JumpParts {
  readonly jump: { readonly seq: number } | null;
  readonly rows: readonly Row[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly leave: () => void;
}

/**
 * One jump is made once, whatever grows: as soon as its row is loaded and the transcript is in sight,
 * which on a phone it is not while the timeline lies over it.
 */
function useJump({ jump, rows, scroller, list, leave }: JumpParts): void {
  const made = useRef<JumpParts["jump"]>(null);
  const isLoaded = jump !== null && !(rowAt(rows, jump.seq) === 0 && rows[0]?.kind === "earlier");
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the rows of then that are jumped in.
  useEffect(() => {
    const { current: box } = scroller;
    if (jump === null || made.current === jump || !isLoaded || box === null) return;
    const go = () => {
      made.current = jump;
      leave();
      list.current?.scrollToIndex(rowAt(rows, jump.seq), { align: "start" });
    };
    if (box.clientHeight > 0) {
      go();
      return;
    }
    const observer = new ResizeObserver(() => {
      if (box.clientHeight === 0) return;
      observer.disconnect();
      // The list measures itself first.
      requestAnimationFrame(() => requestAnimationFrame(go));
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [jump, isLoaded]);
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
