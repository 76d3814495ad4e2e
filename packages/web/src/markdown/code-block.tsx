/** Code with its language and a copy button; highlighted once it has stopped growing. */

import { type ReactNode, useEffect, useState } from "react";
import { cutLines, LONGEST_LINE } from "../text/output.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Scrolling } from "../ui/scrolling.tsx";

interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  readonly isGrowing: boolean;
}

/** Highlighting a longer text would block the page. */
const MOST = 40_000;

export function CodeBlock({ code, language, isGrowing }: CodeBlockProps) {
  const name = language.split(/\s/)[0] ?? "";
  const shown = cutLines(code, LONGEST_LINE);
  const ordered = useOrdered(shown, name, isGrowing);
  return (
    <figure className="group relative rounded bg-sunken">
      <figcaption className="flex h-9 items-center justify-between pr-1 pl-3 text-xs text-quiet">
        {name || "text"}
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <Scrolling label={`Code in ${name || "text"}`}>
        <pre className="code px-3 pb-3">
          <code>{ordered ?? shown}</code>
        </pre>
      </Scrolling>
    </figure>
  );
}

function useOrdered(code: string, language: string, isGrowing: boolean): ReactNode {
  const [ordered, setOrdered] = useState<{ readonly of: string; readonly nodes: ReactNode } | null>(
    null,
  );
  useEffect(() => {
    if (isGrowing || language === "" || code.length > MOST) return;
    let isWanted = true;
    void import("./highlight.tsx").then(
      ({ highlight }) => {
        if (isWanted) setOrdered({ of: code, nodes: highlight(code, language) });
      },
      // If the chunk fails to load, the code stays plain.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [code, language, isGrowing]);
  return ordered?.of === code ? ordered.nodes : null;
}
