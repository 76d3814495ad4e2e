import { visible } from "@holdfast/protocol";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { LongText } from "../../content/long-text.tsx";
import type { LineTone } from "../../line/rows.ts";
import { classes } from "../../ui/tone.ts";
import { lastLines } from "../../words/tool.ts";
import { LineRow } from "./line-row.tsx";

interface ThinkingRowProps {
  readonly line: LineTone;
  readonly text: string;
  readonly isStreaming: boolean;
}

/** The agent's thinking: one quiet line that expands. */
export function ThinkingRow({ line, text, isStreaming }: ThinkingRowProps) {
  const [isOpen, setOpen] = useState(false);
  const last = lastLines(text, 1)[0] ?? "";
  return (
    <LineRow line={line}>
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-10 w-full items-center gap-2 text-left text-sm text-quiet wide:min-h-8"
        onClick={() => setOpen(!isOpen)}
      >
        <span className="shrink-0 italic">{isStreaming ? "Thinking …" : "Thought"}</span>
        {!isOpen && <span className="inert min-w-0 flex-1 truncate">{visible(last)}</span>}
        <ChevronRight
          className={classes("size-4 shrink-0", isOpen && "ml-auto rotate-90")}
          aria-hidden="true"
        />
      </button>
      {isOpen && <LongText text={visible(text)} lines={200} className="pb-2 text-sm text-quiet" />}
    </LineRow>
  );
}
