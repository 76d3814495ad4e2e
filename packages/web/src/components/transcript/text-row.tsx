import type { LineTone } from "../../line/rows.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { LineRow } from "./line-row.tsx";

interface TextRowProps {
  readonly line: LineTone;
  readonly text: string;
  readonly isStreaming: boolean;
  readonly isRecovered: boolean;
}

export function TextRow({ line, text, isStreaming, isRecovered }: TextRowProps) {
  return (
    <LineRow line={line} className="py-1.5">
      {isRecovered && (
        <p className="text-sm text-recovered">
          Found in the agent’s saved session after a restart:
        </p>
      )}
      <Markdown text={text} isStreaming={isStreaming} />
    </LineRow>
  );
}
