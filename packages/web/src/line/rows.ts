/**
 * A session as the rows of its transcript, each with its piece of the line and its knot. Pure, and
 * cached per message: while one answer grows, the rows of all others stay the same objects.
 */

import {
  type BlobRef,
  type Message,
  otherPartWords,
  type Part,
  type RanAgain,
  type Receipt,
  type RunSummary,
  ranAgain,
  type TextPart,
  type ToolPart,
  withoutRepeatedRestarts,
} from "@holdfast/protocol";
import { type CutPlace, cutPlace } from "../markdown/cut-place.ts";
import type { Pictured, PlanStep, ToldDiff } from "./parts.ts";
import { blobOf, diffOf, picturedOf, planOf, tookMs } from "./parts.ts";

export type LineTone = "held" | "alive" | "asleep" | "none";

export interface AwayBand {
  readonly since: string;
  readonly words: string;
  /** The first unseen event: the band stands before that event's row. */
  readonly seq: number;
}

export interface Story {
  readonly messages: readonly Message[];
  readonly earlier: number;
  /** The latest run, the only one that may still be active. */
  readonly run: RunSummary | null;
  readonly receipts: readonly Receipt[];
  readonly away: AwayBand | null;
  /** True while the host is connected; else open runs show their last known state. */
  readonly isHeard: boolean;
  readonly isEnded: boolean;
  readonly isDismissed: boolean;
}

type RowBody =
  | { readonly kind: "earlier"; readonly count: number }
  | { readonly kind: "prompt"; readonly message: Message }
  | {
      readonly kind: "text";
      readonly text: string;
      readonly isStreaming: boolean;
      readonly isRecovered: boolean;
      /** Recoveries in the middle of a block that cannot be split, such as code. */
      readonly unparted?: readonly Unparted[];
    }
  | { readonly kind: "thinking"; readonly text: string; readonly isStreaming: boolean }
  | {
      readonly kind: "tool";
      readonly tool: ToolPart;
      readonly diffs: readonly ToldDiff[];
      readonly pictures: readonly Pictured[];
      readonly ms: number | undefined;
    }
  | { readonly kind: "plan"; readonly steps: readonly PlanStep[] }
  | { readonly kind: "diff"; readonly diff: ToldDiff }
  | { readonly kind: "picture"; readonly pictured: Pictured }
  | { readonly kind: "aside"; readonly text: string; readonly blob: BlobRef | null }
  | { readonly kind: "attempt"; readonly text: string }
  | { readonly kind: "generating"; readonly isHeard: boolean }
  | { readonly kind: "paused"; readonly reason: string | null }
  | EndBody
  | {
      readonly kind: "splice";
      readonly receipt: Receipt;
      /** Calls since then that had run before the cut already. */
      readonly again: readonly RanAgain[];
      /** The block before it, where it happened in the middle of that block. */
      readonly inside: CutPlace["inside"];
    }
  | { readonly kind: "away"; readonly band: AwayBand };

export interface EndBody {
  readonly kind: "end";
  readonly message: Message;
  /** Null for a run that is not the latest. */
  readonly run: RunSummary | null;
  /** True when the run can be continued or retried: it is the latest, and the session has not ended. */
  readonly canGoOn: boolean;
  readonly isDismissed: boolean;
}

interface Unparted extends Pick<CutPlace, "inside"> {
  readonly seq: number;
}

export type RowEdge = "first" | "last";

export type Row = RowBody & {
  readonly key: string;
  readonly line: LineTone;
  readonly edge?: RowEdge;
  /** Seq at which the row began; infinite for a row that shows only the current state. */
  readonly seq: number;
};

/** The row for `seq`: the last one that began at or before it. */
export function rowAt(rows: readonly Row[], seq: number): number {
  return Math.max(
    0,
    rows.findLastIndex((row) => row.seq <= seq),
  );
}

export function rowsOf({ messages, earlier, run, receipts, away, ...now }: Story): readonly Row[] {
  const told = messages.flatMap((message) =>
    message.role === "assistant" ? messageRows(message, run, now) : [promptRow(message)],
  );
  // Receipts of messages that are not loaded are shown together with those messages.
  const from = earlier > 0 ? (messages[0]?.seq ?? 0) : 0;
  const again = ranAgain(messages, receipts);
  const unparted = told.flatMap((row) => (row.kind === "text" ? (row.unparted ?? []) : []));
  const inside = new Map(unparted.map((one) => [one.seq, one.inside]));
  const splices = withoutRepeatedRestarts(receipts, messages)
    .filter(({ seq }) => seq > from)
    .map((receipt) =>
      spliceRow(receipt, again.get(receipt.seq) ?? [], inside.get(receipt.seq) ?? null),
    );
  const rows = spliced(told, splices);
  const whole = away === null ? rows : banded(rows, away);
  return edged(earlier > 0 ? [earlierRow(earlier), ...whole] : whole, earlier);
}

/** Inserts each receipt before the first row that began after it; a text it cut is two rows already. */
function spliced(rows: readonly Row[], splices: readonly Row[]): readonly Row[] {
  const all: Row[] = [];
  let at = 0;
  for (const row of rows) {
    for (let next = splices[at]; next !== undefined && next.seq < row.seq; next = splices[++at]) {
      all.push(next);
    }
    all.push(row);
  }
  return [...all, ...splices.slice(at)];
}

function banded(rows: readonly Row[], band: AwayBand): readonly Row[] {
  if (rows.length === 0) return rows;
  return rows.toSpliced(rowAt(rows, band.seq), 0, {
    kind: "away",
    band,
    key: "away",
    line: "held",
    seq: band.seq,
  });
}

/** An interrupted run cuts the line, and a splice starts it again. */
function edged(rows: readonly Row[], earlier: number): readonly Row[] {
  return rows.map((row, i) => {
    const before = rows[i - 1];
    if (isCut(row) || (row.kind === "end" && i === rows.length - 1))
      return { ...row, edge: "last" };
    const isFirst = before === undefined ? earlier === 0 : isCut(before);
    return isFirst ? { ...row, edge: "first" } : row;
  });
}

function isCut(row: Row): boolean {
  return row.kind === "end" && row.message.status === "interrupted";
}

function earlierRow(count: number): Row {
  return { kind: "earlier", count, key: "earlier", line: "held", seq: 0 };
}

function spliceRow(receipt: Receipt, again: readonly RanAgain[], inside: CutPlace["inside"]): Row {
  const { seq } = receipt;
  return { kind: "splice", receipt, again, inside, key: `splice-${seq}`, line: "held", seq };
}

function promptRow(message: Message): Row {
  return { kind: "prompt", message, key: message.id, line: "held", seq: message.seq };
}

/** The session's current condition, independent of its content. */
type Standing = Pick<Story, "isHeard" | "isEnded" | "isDismissed">;

interface Remembered extends Standing {
  readonly run: RunSummary | null;
  readonly rows: readonly Row[];
}

const remembered = new WeakMap<Message, Remembered>();

function messageRows(message: Message, latest: RunSummary | null, now: Standing): readonly Row[] {
  const run = message.runId !== null && message.runId === latest?.id ? latest : null;
  const known = remembered.get(message);
  const isSame =
    known?.run === run &&
    known.isHeard === now.isHeard &&
    known.isEnded === now.isEnded &&
    known.isDismissed === now.isDismissed;
  if (known !== undefined && isSame) return known.rows;
  const rows = answerRows(message, run, now);
  remembered.set(message, { ...now, run, rows });
  return rows;
}

function answerRows(message: Message, run: RunSummary | null, now: Standing): Row[] {
  const { isHeard } = now;
  const { contentParts, status, id, endSeq } = message;
  const isOpen = status === "running";
  const line = lineOf(isOpen && isHeard, run);
  const rows: Row[] = [];
  const last = contentParts.length - 1;
  const seen = shownOnce(contentParts);
  for (const [i, part] of contentParts.entries()) {
    const isStreaming = isHeard && isOpen && i === last && run?.status === "running";
    if (part.type === "text" && part.cuts !== undefined) {
      rows.push(
        ...cutRows(part, part.cuts, isStreaming).map((row) => ({
          ...row,
          line,
          key: `${id}/${i}${row.key}`,
        })),
      );
      continue;
    }
    const body = bodyOf(part, i, isStreaming, seen);
    if (body !== null) rows.push({ ...body, key: `${id}/${i}`, line, seq: part.seq });
  }
  const end = endOf(message, run, now);
  const seq = endSeq ?? Number.POSITIVE_INFINITY;
  if (end !== null) rows.push({ ...end, key: `${id}/end`, line, seq });
  return rows;
}

/** Splits a text at the recoveries inside it: the text from before each, and the text from after it. */
function cutRows(
  { text, seq, recovered }: TextPart,
  cuts: NonNullable<TextPart["cuts"]>,
  isStreaming: boolean,
): (RowBody & { readonly key: string; readonly seq: number })[] {
  // A later cut may have an earlier place than the cut before it; then it shares that cut's place.
  let last: CutPlace = { at: 0, inside: null };
  const places = cuts.map(({ seq, at }) => {
    const place = cutPlace(text, at);
    if (place.at >= last.at) last = place;
    return { seq, ...last };
  });
  const unparted = places.filter(({ inside }) => inside !== null);
  const inText = places.filter(({ at }) => at < text.length);
  const starts = [{ seq, at: 0 }, ...inText.map((cut) => ({ ...cut, seq: cut.seq + 0.5 }))];
  return starts.flatMap(({ seq, at }, i) => {
    const next = starts[i + 1];
    const piece = text.slice(at, next?.at);
    if (piece.trim() === "") return [];
    const body = {
      kind: "text",
      text: piece,
      isStreaming: isStreaming && next === undefined,
      ...(unparted.length > 0 ? { unparted } : {}),
    } as const;
    return [{ ...body, isRecovered: recovered === true, key: i === 0 ? "" : `.${i}`, seq }];
  });
}

function lineOf(isOpen: boolean, run: RunSummary | null): LineTone {
  if (!isOpen) return "held";
  return run?.isPaused === true ? "asleep" : "alive";
}

interface ShownOnce {
  /** The plan; a later plan replaces an earlier one in its first position. */
  readonly plan: { readonly at: number; readonly steps: readonly PlanStep[] } | null;
  readonly diffs: ReadonlyMap<string, readonly ToldDiff[]>;
  readonly pictures: ReadonlyMap<string, readonly Pictured[]>;
}

function shownOnce(parts: readonly Part[]): ShownOnce {
  let plan: ShownOnce["plan"] = null;
  const diffs = new Map<string, ToldDiff[]>();
  const pictures = new Map<string, Pictured[]>();
  const calls = new Set<string>();
  for (const [i, part] of parts.entries()) {
    if (part.type === "tool") calls.add(part.toolCallId);
    if (part.type !== "other") continue;
    const steps = planOf(part.part);
    if (steps !== null) plan = { at: plan === null ? i : plan.at, steps };
    const pictured = picturedOf(part.part);
    if (pictured?.toolCallId != null && calls.has(pictured.toolCallId)) {
      const others = pictures.get(pictured.toolCallId) ?? [];
      pictures.set(pictured.toolCallId, [...others, pictured]);
    }
    const diff = diffOf(part.part);
    if (diff?.toolCallId == null || !calls.has(diff.toolCallId)) continue;
    const others = (diffs.get(diff.toolCallId) ?? []).filter(({ path }) => path !== diff.path);
    diffs.set(diff.toolCallId, [...others, diff]);
  }
  return { plan, diffs, pictures };
}

const noDiffs: readonly ToldDiff[] = [];
const noPictures: readonly Pictured[] = [];

/** Shorter durations are not shown: a list of them would be noise. */
const WORTH_MS = 100;

/** The duration of a call. A call that asked also waited for its answer, so it has none. */
function workedMs(part: ToolPart): number | undefined {
  const ms = part.approval === undefined ? tookMs(part) : undefined;
  return ms !== undefined && ms >= WORTH_MS ? ms : undefined;
}

function bodyOf(part: Part, i: number, isStreaming: boolean, seen: ShownOnce): RowBody | null {
  switch (part.type) {
    case "text":
      return {
        kind: "text",
        text: part.text,
        isStreaming,
        isRecovered: part.recovered === true,
      };
    case "thinking":
      return { kind: "thinking", text: part.text, isStreaming };
    case "tool":
      return {
        kind: "tool",
        tool: part,
        ms: workedMs(part),
        diffs: seen.diffs.get(part.toolCallId) ?? noDiffs,
        pictures: seen.pictures.get(part.toolCallId) ?? noPictures,
      };
    case "notice":
      return { kind: "attempt", text: part.text };
    case "other": {
      if (seen.plan !== null && planOf(part.part) !== null) {
        return seen.plan.at === i ? { kind: "plan", steps: seen.plan.steps } : null;
      }
      const pictured = picturedOf(part.part);
      if (pictured !== null) {
        const isIn = pictured.toolCallId !== null && seen.pictures.has(pictured.toolCallId);
        return isIn ? null : { kind: "picture", pictured };
      }
      const diff = diffOf(part.part);
      if (diff === null) {
        return { kind: "aside", text: otherPartWords(part.part), blob: blobOf(part.part) };
      }
      const isInTool = diff.toolCallId !== null && seen.diffs.has(diff.toolCallId);
      return isInTool ? null : { kind: "diff", diff };
    }
  }
}

function endOf(message: Message, run: RunSummary | null, now: Standing): RowBody | null {
  const { isHeard, isEnded, isDismissed } = now;
  // Output between turns ends no run.
  if (message.runId === null) return null;
  if (message.status !== "running") {
    return { kind: "end", message, run, canGoOn: run !== null && !isEnded, isDismissed };
  }
  if (run === null) return null;
  if (run.isPaused) return { kind: "paused", reason: run.pausedReason };
  return run.status === "running" ? { kind: "generating", isHeard } : null;
}
