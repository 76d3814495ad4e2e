import { visibleLine } from "../text/inert.ts";

/** Says state changes to a screen reader, and never the words of an answer as they come. */
export function Announcer({ words }: { readonly words: string }) {
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {visibleLine(words)}
    </p>
  );
}
