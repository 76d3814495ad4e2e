/** A text that may be only the beginning of a longer one, which is stored in a blob. */

import { type BlobRef, visible } from "@holdfast/protocol";
import { LongText } from "./long-text.tsx";
import { WholeText } from "./whole-text.tsx";

interface MessageTextProps {
  readonly text: string;
  readonly blob: BlobRef | null;
  readonly className?: string;
}

export function MessageText({ text, blob, className = "" }: MessageTextProps) {
  const shown = <LongText text={visible(text)} isBeginning={blob !== null} className={className} />;
  return blob === null ? shown : <WholeText blob={blob}>{shown}</WholeText>;
}
