/**
 * The transcript. Only visible rows are in the document, so ten thousand parts scroll as well as
 * ten. Its `log` role does not announce each word to screen readers; the announcer reports state
 * changes.
 */

import { figure } from "@holdfast/protocol";
import { ArrowDown } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { type Row, rowAt } from "../../line/rows.ts";
import type { PlaceStorage } from "../../settings/places.ts";
import { RowView } from "./row-view.tsx";
import { usePlace } from "./use-place.ts";
import { useStick } from "./use-stick.ts";

interface TranscriptProps {
  readonly rows: readonly Row[];
  readonly now: number;
  /** The workspace; paths inside it are shown relative to it. */
  readonly root: string | null;
  /** The seq to scroll to; a new object with the same seq scrolls again. */
  readonly jump?: { readonly seq: number } | null;
  /** Saves the reading position; null when it is not saved. */
  readonly places?: PlaceStorage | null;
  readonly sending?: number;
  /** Shown after the last row, such as messages that wait to be sent. */
  readonly children?: ReactNode;
}

/** The estimated height of a row in pixels; a smaller one renders rows outside the view. */
const ROW = 80;

export function Transcript({
  rows: all,
  now,
  root,
  jump = null,
  places = null,
  sending = 0,
  children,
}: TranscriptProps) {
  const rows = useLastFirst(all, () => jump === null && places?.read() == null);
  const list = useRef<VirtualizerHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { isStuck, fresh, settle, onScroll, toEnd, leave } = useStick({
    scroller,
    length: rows.length,
    sending,
  });
  const { note } = usePlace({ scroller, list, rows, isStuck, leave, storage: places });
  const isPrepended = usePrepended(rows);
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
                // Only a prompt shows a relative time, so other rows are not rendered again for the
                // clock.
                now={row.kind === "prompt" ? now : 0}
                root={root}
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

const SCREEN = 16;

/** The last screen's rows alone for the first paint; the rows before them follow after it. */
function useLastFirst(rows: readonly Row[], isAtEnd: () => boolean): readonly Row[] {
  const [isWhole, setWhole] = useState(() => !isAtEnd());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setWhole(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isWhole ? rows : rows.slice(-SCREEN);
}

interface JumpParts {
  readonly jump: { readonly seq: number } | null;
  readonly rows: readonly Row[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly leave: () => void;
}

/** Jumps once its row is loaded and visible: on a phone the timeline covers the transcript. */
function useJump({ jump, rows, scroller, list, leave }: JumpParts): void {
  const made = useRef<JumpParts["jump"]>(null);
  const isLoaded = jump !== null && !(rowAt(rows, jump.seq) === 0 && rows[0]?.kind === "earlier");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the jump uses the rows of its own render.
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
      // Waits until the list has measured itself.
      requestAnimationFrame(() => requestAnimationFrame(go));
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [jump, isLoaded]);
}

/** True when rows were added at the start, so that the scroll position must be kept. */
function usePrepended(rows: readonly Row[]): boolean {
  const before = useRef({ length: 0, first: "" });
  // The first row may only count the earlier messages, so it is skipped.
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
