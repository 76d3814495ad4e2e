import { memo } from "react";
import { LazyDiff } from "../../diff/lazy-diff.tsx";
import type { Row } from "../../line/rows.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { EndRow } from "./end-row.tsx";
import { LineRow } from "./line-row.tsx";
import { PictureView } from "./picture.tsx";
import { PlanRow } from "./plan-row.tsx";
import { PromptRow } from "./prompt-row.tsx";
import {
  AsideRow,
  AttemptRow,
  AwayRow,
  EarlierRow,
  GeneratingRow,
  PausedRow,
} from "./small-rows.tsx";
import { SpliceRow } from "./splice-row.tsx";
import { ThinkingRow } from "./thinking-row.tsx";
import { ToolRow } from "./tool-row.tsx";

interface RowViewProps {
  readonly row: Row;
  readonly now: number;
  readonly root: string | null;
}

export const RowView = memo(function RowView({ row, now, root }: RowViewProps) {
  switch (row.kind) {
    case "earlier":
      return <EarlierRow n={row.count} />;
    case "prompt":
      return <PromptRow message={row.message} now={now} edge={row.edge} />;
    case "text":
      return (
        <LineRow line={row.line} className="py-1.5">
          {row.isRecovered && (
            <p className="text-sm text-recovered">
              Found in the agent’s saved session after a restart:
            </p>
          )}
          <Markdown text={row.text} isStreaming={row.isStreaming} />
        </LineRow>
      );
    case "thinking":
      return <ThinkingRow {...row} />;
    case "tool":
      return <ToolRow {...row} root={root} />;
    case "plan":
      return <PlanRow line={row.line} steps={row.steps} />;
    case "diff":
      return (
        <LineRow line={row.line} className="py-1.5">
          <LazyDiff diff={row.diff} />
        </LineRow>
      );
    case "picture":
      return (
        <LineRow line={row.line} className="py-1.5">
          <PictureView {...row.pictured} />
        </LineRow>
      );
    case "aside":
      return <AsideRow line={row.line} text={row.text} blob={row.blob} />;
    case "attempt":
      return <AttemptRow line={row.line} text={row.text} />;
    case "generating":
      return <GeneratingRow isHeard={row.isHeard} />;
    case "paused":
      return <PausedRow reason={row.reason} />;
    case "end":
      return <EndRow {...row} />;
    case "splice":
      return <SpliceRow {...row} />;
    case "away":
      return <AwayRow band={row.band} />;
  }
});
