import {
  bytes,
  figure,
  visibleLine,
  type WorkspaceEntryView,
  type WorkspaceFileView,
  type WorkspaceFolderView,
} from "@holdfast/protocol";
import { ChevronRight, CornerDownRight, File, Folder, type LucideIcon, Unplug } from "lucide-react";
import { FileViewer } from "../../content/file-viewer.tsx";

interface FilesProps {
  /** Relative to the workspace; "" is its root. */
  readonly path: string;
  /** The folder or file at `path`; null while it loads. */
  readonly found: WorkspaceFolderView | WorkspaceFileView | null;
  readonly problem: string | null;
  readonly onOpen: (path: string) => void;
}

export function Files({ path, found, problem, onOpen }: FilesProps) {
  return (
    <div>
      <Way path={path} onOpen={onOpen} />
      {problem !== null && <p className="p-4 text-sm text-quiet">{visibleLine(problem)}</p>}
      {problem === null && found?.kind === "folder" && <Entries folder={found} onOpen={onOpen} />}
      {problem === null && found?.kind === "file" && <FileViewer key={path} file={found} />}
    </div>
  );
}

type Open = Pick<FilesProps, "onOpen">;

function Way({ path, onOpen }: Open & { readonly path: string }) {
  const names = path === "" ? [] : path.split("/");
  return (
    <nav aria-label="Where you are" className="border-b border-hair px-2">
      <ol className="flex flex-wrap items-center font-mono text-xs">
        {["", ...names].map((name, i) => {
          const to = names.slice(0, i).join("/");
          const isHere = i === names.length;
          return (
            <li key={to} className="flex min-w-0 items-center">
              {i > 0 && <ChevronRight className="size-3 shrink-0 text-quiet" aria-hidden="true" />}
              <button
                type="button"
                aria-current={isHere ? "page" : undefined}
                className="inert min-h-11 min-w-0 truncate px-2 text-quiet hover:text-ink aria-[current]:text-ink wide:min-h-9"
                onClick={() => onOpen(to)}
              >
                {i === 0 ? "workspace" : visibleLine(name)}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function Entries({ folder, onOpen }: Open & { readonly folder: WorkspaceFolderView }) {
  const { path, entries, truncated } = folder;
  if (entries.length === 0) return <p className="p-4 text-sm text-quiet">This folder is empty.</p>;
  return (
    <>
      <ul className="py-1">
        {entries.map((entry) => (
          <Entry
            key={entry.name}
            entry={entry}
            onOpen={() => onOpen(path === "" ? entry.name : `${path}/${entry.name}`)}
          />
        ))}
      </ul>
      {truncated && (
        <p className="border-t border-hair px-4 py-3 text-xs text-quiet">
          Only the first {figure(entries.length)} entries are shown.
        </p>
      )}
    </>
  );
}

const icons: Readonly<Record<WorkspaceEntryView["kind"], LucideIcon>> = {
  folder: Folder,
  file: File,
  link: CornerDownRight,
  other: Unplug,
};

interface EntryProps {
  readonly entry: WorkspaceEntryView;
  readonly onOpen: () => void;
}

function Entry({ entry: { name, kind, size, target }, onOpen }: EntryProps) {
  const Icon = icons[kind];
  return (
    <li>
      <button
        type="button"
        disabled={kind === "other"}
        className="flex min-h-11 w-full items-center gap-2 px-4 text-left text-sm enabled:hover:bg-sunken wide:min-h-8"
        onClick={onOpen}
      >
        <Icon className="size-4 shrink-0 text-quiet" aria-hidden="true" />
        <span className="inert min-w-0 flex-1 truncate">
          {visibleLine(name)}
          {target !== null && <span className="text-quiet"> → {visibleLine(target)}</span>}
        </span>
        {size !== null && <span className="shrink-0 text-xs text-quiet">{bytes(size)}</span>}
        {kind === "other" && (
          <span className="shrink-0 text-xs text-quiet">cannot be opened here</span>
        )}
        {kind === "folder" && <ChevronRight className="size-4 text-quiet" aria-hidden="true" />}
      </button>
    </li>
  );
}
