/**
 * Keeps the reading position while it is not the end: across a reload, a visit to the list, and a
 * change of width. The position is a paragraph, not a number of pixels.
 */

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { VirtualizerHandle } from "virtua";
import type { Row } from "../../line/rows.ts";
import type { PlaceStorage, ReadingPlace } from "../../settings/places.ts";

interface Parts {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly rows: readonly Row[];
  readonly isStuck: boolean;
  readonly leave: () => void;
  readonly storage: PlaceStorage | null;
}

export function usePlace({ scroller, list, rows, isStuck, leave, storage }: Parts) {
  const place = useRef<ReadingPlace | null>(null);
  const width = useRef(0);
  /** The number of restored positions that are still being corrected. */
  const settling = useRef(0);
  const now = useRef({ rows, isStuck, storage });
  useLayoutEffect(() => {
    now.current = { rows, isStuck, storage };
  });

  const restore = (wanted: ReadingPlace) => {
    const at = now.current.rows.findIndex(({ key }) => key === wanted.row);
    const { current: box } = scroller;
    if (at < 0 || box === null) return;
    place.current = wanted;
    list.current?.scrollToIndex(at, { align: "start" });
    settling.current += 1;
    settle(box, wanted, FRAMES, () => {
      settling.current -= 1;
    });
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the position is restored once, when rows exist.
  useLayoutEffect(() => {
    const kept = rows.length === 0 ? null : (storage?.read() ?? null);
    if (kept === null || !rows.some(({ key }) => key === kept.row)) return;
    leave();
    restore(kept);
  }, [rows.length === 0]);

  useEffect(() => {
    const keep = () => {
      const { isStuck, storage } = now.current;
      storage?.write(isStuck ? null : place.current);
    };
    addEventListener("pagehide", keep);
    return () => {
      removeEventListener("pagehide", keep);
      keep();
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the observer reads refs.
  useEffect(() => {
    const { current: box } = scroller;
    if (box === null) return;
    const observer = new ResizeObserver(() => {
      const before = width.current;
      width.current = box.clientWidth;
      const isTurned = before > 0 && width.current > 0 && before !== width.current;
      if (isTurned && !now.current.isStuck && place.current !== null) restore(place.current);
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  return {
    /** A scroll by a change of width, or that restores a position, is not the reader's. */
    note() {
      const { current: box } = scroller;
      if (box === null || box.clientWidth !== width.current || settling.current > 0) return;
      place.current = placeIn(box);
    },
  };
}

/** Frames in which the position is corrected, because rows get their final height late. */
const FRAMES = 6;

function settle(box: HTMLElement, place: ReadingPlace, frames: number, done: () => void): void {
  if (frames === 0) {
    done();
    return;
  }
  requestAnimationFrame(() => {
    const block = blocksOf(rowNamed(box, place.row))[place.block];
    if (block !== undefined) {
      const above = box.getBoundingClientRect().top - block.getBoundingClientRect().top;
      box.scrollTop += Math.min(place.into, block.clientHeight) - above;
    }
    settle(box, place, frames - 1, done);
  });
}

function placeIn(box: HTMLElement): ReadingPlace | null {
  const edge = box.getBoundingClientRect().top;
  const isBelow = (element: Element) => element.getBoundingClientRect().bottom > edge + 1;
  const row = [...box.querySelectorAll<HTMLElement>("[data-row]")].find(isBelow);
  if (row === undefined) return null;
  const blocks = blocksOf(row);
  const found = blocks.findIndex(isBelow);
  const block = Math.max(0, found);
  const into = edge - (blocks[block]?.getBoundingClientRect().top ?? edge);
  return { row: row.dataset.row ?? "", block, into: Math.round(into) };
}

function rowNamed(box: HTMLElement, key: string): HTMLElement | undefined {
  return [...box.querySelectorAll<HTMLElement>("[data-row]")].find(
    ({ dataset }) => dataset.row === key,
  );
}

function blocksOf(row: HTMLElement | undefined): readonly Element[] {
  if (row === undefined) return [];
  const blocks = [...row.querySelectorAll(".prose > *")];
  return blocks.length === 0 ? [row] : blocks;
}
