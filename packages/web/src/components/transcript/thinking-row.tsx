import { visible } from "@holdfast/protocol";
import { useState } from "react";
import { LongText } from "../../content/long-text.tsx";
import type { LineTone } from "../../line/rows.ts";
import { lastLines } from "../../words/tool.ts";
import { LineRow } from "./line-row.tsx";
import { Unfold } from "./unfold.tsx";

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
      <Unfold isOpen={isOpen} onPress={() => setOpen(!isOpen)} className="text-quiet wide:min-h-8">
        <span className="shrink-0 italic">{isStreaming ? "Thinking …" : "Thought"}</span>
        {!isOpen && <span className="inert min-w-0 flex-1 truncate">{visible(last)}</span>}
      </Unfold>
      {isOpen && <LongText text={visible(text)} lines={200} className="pb-2 text-sm text-quiet" />}
    </LineRow>
  );
}
