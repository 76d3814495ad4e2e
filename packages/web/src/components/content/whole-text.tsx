/** A button that fetches a text too long for an event, whose beginning is shown already. */

import { type BlobRef, bytes } from "@holdfast/protocol";
import { useState } from "react";
import { useWholeText } from "../session-actions.ts";
import { TerminalOutput } from "./terminal-output.tsx";

type Fetched = { readonly text: string } | "asked" | "failed" | null;

export function WholeText({ blob }: { readonly blob: BlobRef }) {
  const fetchWhole = useWholeText();
  const [fetched, setFetched] = useState<Fetched>(null);
  if (typeof fetched === "object" && fetched !== null)
    return <TerminalOutput text={fetched.text} isAll />;
  const size = bytes(blob.bytes);
  if (fetchWhole === null) return <p className="text-sm text-quiet">… {size} in all</p>;
  const ask = () => {
    setFetched("asked");
    fetchWhole(blob.hash).then(
      (text) => setFetched({ text }),
      () => setFetched("failed"),
    );
  };
  return (
    <button
      type="button"
      data-opens
      className="py-2 text-sm text-quiet underline decoration-edge underline-offset-3 hover:text-ink"
      disabled={fetched === "asked"}
      onClick={ask}
    >
      {fetched === "asked" ? "Loading …" : `Show all (${size})`}
      {fetched === "failed" && ": it could not be loaded. Try again?"}
    </button>
  );
}
