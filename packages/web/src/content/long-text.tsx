/** Text of any length, collapsed until the person expands it. */

import { count } from "@holdfast/protocol";
import { useState } from "react";
import { cutLines, LONGEST_LINE, piecesOf } from "../text/output.ts";
import { TextButton } from "../ui/button.tsx";
import { classes } from "../ui/tone.ts";

interface LongTextProps {
  /** Text that was already made inert. */
  readonly text: string;
  readonly lines?: number;
  /** True when the person asked for the whole text. */
  readonly isAll?: boolean;
  /** True for the beginning of a longer text: the button that fetches the whole follows it. */
  readonly isBeginning?: boolean;
  readonly className?: string;
}

export function LongText(props: LongTextProps) {
  const { text, lines = 12, isAll = false, isBeginning = false, className } = props;
  const [isOpen, setOpen] = useState(isAll);
  const all = text.split("\n");
  const hidden = all.length - lines;
  const isCut = hidden > 1 || all.some((line) => line.length > LONGEST_LINE);
  const some = hidden <= 1 ? all : all.slice(0, lines);
  return (
    <div>
      <div dir="auto" className={classes("inert whitespace-pre-wrap", className)}>
        {isOpen ? <Pieces text={text} /> : cutLines(some.join("\n"))}
      </div>
      {isCut && !isBeginning && (
        <TextButton data-opens className="py-2 text-sm text-quiet" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : hidden > 1 ? `Show ${count(hidden, "more line")}` : "Show all"}
        </TextButton>
      )}
    </div>
  );
}

/** A browser needs seconds to lay out a megabyte at once; it skips pieces outside the view. */
export function Pieces({ text }: { readonly text: string }) {
  const pieces = piecesOf(text);
  if (pieces.length === 1) return text;
  return pieces.map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece has only its position.
    <div key={at} className="[contain-intrinsic-size:auto_40rem] [content-visibility:auto]">
      {piece}
    </div>
  ));
}
