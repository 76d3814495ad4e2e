/** Rows of a single line. */

import { type BlobRef, count, pauseWords, visible, wholePartText } from "@holdfast/protocol";
import { LongText } from "../../content/long-text.tsx";
import { WholeText } from "../../content/whole-text.tsx";
import type { AwayBand, LineTone } from "../../line/rows.ts";
import { useSessionActions } from "../../session-actions.ts";
import { TextButton } from "../../ui/button.tsx";
import { classes, toneText } from "../../ui/tone.ts";
import { clock } from "../../words/measures.ts";
import { lookUp } from "../../words/story.ts";
import { LineRow } from "./line-row.tsx";

export function EarlierRow({ n }: { readonly n: number }) {
  const { loadEarlier } = useSessionActions();
  return (
    <LineRow className="py-2">
      <TextButton className="min-h-10 text-sm text-quiet" onClick={loadEarlier}>
        Show {count(n, "earlier message")}
      </TextButton>
    </LineRow>
  );
}

export function GeneratingRow({ isHeard }: { readonly isHeard: boolean }) {
  const tone = isHeard ? "alive" : "quiet";
  return (
    <LineRow
      line={isHeard ? "alive" : "held"}
      shape="tool"
      tone={tone}
      isLive={isHeard}
      knotY="20px"
      className="py-2"
    >
      <p className={classes("text-sm", toneText[tone])}>
        {isHeard ? "Generating…" : "Working when last seen"}
      </p>
    </LineRow>
  );
}

export function PausedRow({ reason }: { readonly reason: string | null }) {
  const why = reason === null ? undefined : lookUp(pauseWords, reason);
  return (
    <LineRow line="asleep" shape="pause" tone="asleep" knotY="20px" className="py-2">
      <p className="text-sm">
        <strong className="font-medium text-asleep">Generation paused</strong>
        {why !== undefined && <span className="text-quiet">: {why}</span>}
      </p>
    </LineRow>
  );
}

interface AsideRowProps {
  readonly line: LineTone;
  readonly text: string;
  readonly blob: BlobRef | null;
}

export function AsideRow({ line, text, blob }: AsideRowProps) {
  return (
    <LineRow line={line} className="py-1">
      {blob === null ? (
        <p dir="auto" className="inert text-sm text-quiet">
          {visible(text)}
        </p>
      ) : (
        <WholeText blob={blob} textOf={wholePartText}>
          <LongText text={visible(text)} isBeginning />
        </WholeText>
      )}
    </LineRow>
  );
}

export function AttemptRow({ line, text }: { readonly line: LineTone; readonly text: string }) {
  return (
    <LineRow line={line} shape="tool" tone="lost" className="py-1.5">
      <p className="inert text-sm">
        <span className="text-lost">An attempt failed</span>
        <span className="text-quiet">: {visible(text)}</span>
      </p>
    </LineRow>
  );
}

/** A band across the line between the events that the person has seen and the new ones. */
export function AwayRow({ band }: { readonly band: AwayBand }) {
  return (
    <div className="row band py-3" data-line="held">
      <p className="text-sm">
        <strong className="font-medium">While you were away</strong>{" "}
        <span className="text-quiet">
          since {clock(band.since)}: {band.words}
        </span>
      </p>
    </div>
  );
}
