import { visibleLine } from "@holdfast/protocol";

/** Announces state changes to screen readers. The words of a streaming answer are not announced. */
export function Announcer({ words }: { readonly words: string }) {
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {visibleLine(words)}
    </p>
  );
}
