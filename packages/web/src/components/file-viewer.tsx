/** A file of the workspace, to read: text only, whatever is in it. */

import { ChevronRight, File, Folder } from "lucide-react";
import { cutLines, visible, visibleLine } from "../text/inert.ts";
import { bytes } from "../words/measures.ts";
import { Scrolling } from "./scrolling.tsx";
import { classes } from "./tone.ts";

export interface FileEntry {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly bytes: number | null;
}

interface FilesProps {
  readonly entries: readonly FileEntry[];
  readonly open: { readonly path: string; readonly text: string } | null;
  readonly onOpen: (path: string) => void;
}

export function Files({ entries, open, onOpen }: FilesProps) {
  return (
    <div>
      <ul className="border-b border-hair py-1">
        {entries.map((entry) => (
          <Entry
            key={entry.path}
            entry={entry}
            isOpen={entry.path === open?.path}
            onOpen={onOpen}
          />
        ))}
      </ul>
      {open !== null && <Content path={open.path} text={open.text} />}
    </div>
  );
}

interface EntryProps {
  readonly entry: FileEntry;
  readonly isOpen: boolean;
  readonly onOpen: (path: string) => void;
}

function Entry({ entry, isOpen, onOpen }: EntryProps) {
  const depth = entry.path.split("/").length - 1;
  const Icon = entry.kind === "folder" ? Folder : File;
  return (
    <li>
      <button
        type="button"
        aria-current={isOpen ? "true" : undefined}
        className={classes(
          "flex min-h-11 w-full items-center gap-2 pr-4 text-left text-sm hover:bg-sunken wide:min-h-8",
          isOpen && "bg-pressed",
        )}
        style={{ paddingLeft: 16 + depth * 16 }}
        onClick={() => onOpen(entry.path)}
      >
        <Icon className="size-4 shrink-0 text-quiet" aria-hidden="true" />
        <span className="inert min-w-0 flex-1 truncate">
          {visibleLine(entry.path.split("/").at(-1) ?? "")}
        </span>
        {entry.bytes !== null && <span className="text-xs text-quiet">{bytes(entry.bytes)}</span>}
        {entry.kind === "folder" && (
          <ChevronRight className="size-4 text-quiet" aria-hidden="true" />
        )}
      </button>
    </li>
  );
}

function Content({ path, text }: { readonly path: string; readonly text: string }) {
  const lines = cutLines(visible(text)).replace(/\n$/, "").split("\n");
  return (
    <figure>
      <figcaption className="inert px-4 pt-3 pb-1 font-mono text-xs text-quiet">
        {visibleLine(path)}
      </figcaption>
      <Scrolling label={path} className="code pb-3">
        <div className="w-max min-w-full">
          {lines.map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are the lines of one text, in order.
            <div key={i} className="grid grid-cols-[48px_auto] pr-4">
              <span className="pr-3 text-right text-quiet select-none">{i + 1}</span>
              <span className="inert whitespace-pre">{line || " "}</span>
            </div>
          ))}
        </div>
      </Scrolling>
    </figure>
  );
}
