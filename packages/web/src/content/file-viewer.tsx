import { bytes, count, visible, type WorkspaceFileView } from "@holdfast/protocol";
import { useMemo, useState } from "react";
import { cutLines } from "../text/output.ts";
import { Scrolling } from "../ui/scrolling.tsx";

const LINES = 2000;

export function FileViewer({ file }: { readonly file: WorkspaceFileView }) {
  const { path, size, binary, text, truncated } = file;
  return (
    <figure>
      <figcaption className="px-4 pt-3 pb-1 text-xs text-quiet">
        {truncated && `The first ${bytes(new TextEncoder().encode(text ?? "").length)} of `}
        {bytes(size)}
        {binary && " · cannot be shown: it is not text"}
        {!binary && size === 0 && " · empty"}
      </figcaption>
      {text !== null && text !== "" && <Lines label={path} text={text} />}
    </figure>
  );
}

function Lines({ label, text }: { readonly label: string; readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const lines = useMemo(() => cutLines(visible(text)).replace(/\n$/, "").split("\n"), [text]);
  const hidden = isOpen ? 0 : lines.length - LINES;
  return (
    <>
      <Scrolling label={label} className="code pb-3">
        <div className="w-max min-w-full">
          {lines.slice(0, isOpen ? lines.length : LINES).map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are the lines of one text, in order.
            <div key={i} className="grid grid-cols-[48px_auto] pr-4">
              <span className="pr-3 text-right text-quiet select-none">{i + 1}</span>
              <span className="inert whitespace-pre">{line || " "}</span>
            </div>
          ))}
        </div>
      </Scrolling>
      {hidden > 0 && (
        <button
          type="button"
          className="w-full border-t border-hair px-4 py-3 text-left text-xs text-quiet hover:bg-sunken hover:text-ink"
          onClick={() => setOpen(true)}
        >
          Show {count(hidden, "more line")}
        </button>
      )}
    </>
  );
}
