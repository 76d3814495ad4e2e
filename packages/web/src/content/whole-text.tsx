/** A text too long for an event: its beginning, and a button that fetches the whole in its place. */

import { type BlobRef, bytes } from "@holdfast/protocol";
import { type ReactNode, useState } from "react";
import { useWholeText } from "../session-actions.ts";
import { TextButton } from "../ui/button.tsx";
import { TerminalOutput } from "./terminal-output.tsx";

type Fetched = { readonly text: string } | "asked" | "failed" | null;

interface WholeTextProps {
  readonly blob: BlobRef;
  /** The beginning; without it, the beginning is drawn elsewhere and stays. */
  readonly children?: ReactNode;
  /** The text to show of the blob; without it, all that is stored. */
  readonly textOf?: (stored: string) => string;
}

export function WholeText({ blob, children, textOf = (stored) => stored }: WholeTextProps) {
  const fetchWhole = useWholeText();
  const [fetched, setFetched] = useState<Fetched>(null);
  if (typeof fetched === "object" && fetched !== null)
    return <TerminalOutput text={textOf(fetched.text)} isAll />;
  const size = bytes(blob.bytes);
  if (fetchWhole === null) {
    return (
      <>
        {children}
        <p className="text-sm text-quiet">… {size} in all</p>
      </>
    );
  }
  const ask = () => {
    setFetched("asked");
    fetchWhole(blob.hash).then(
      (text) => setFetched({ text }),
      () => setFetched("failed"),
    );
  };
  return (
    <>
      {children}
      <TextButton
        data-opens
        className="py-2 text-sm text-quiet"
        disabled={fetched === "asked"}
        onClick={ask}
      >
        {fetched === "asked" ? "Loading …" : `Show all (${size})`}
        {fetched === "failed" && ": it could not be loaded. Try again?"}
      </TextButton>
    </>
  );
}
