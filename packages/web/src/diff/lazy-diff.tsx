import { visibleLine } from "@holdfast/protocol";
import type { ToldDiff } from "../line/parts.ts";
import { later } from "../ui/later.tsx";
import type { FilePatch } from "./change.ts";

export interface DiffViewProps {
  readonly diff: ToldDiff | FilePatch;
  readonly lines?: number;
  readonly isPathShown?: boolean;
  /** Wraps long lines and shows each whole, instead of cutting and scrolling them. */
  readonly isWrapped?: boolean;
}

/** Shows the path at once; the lines follow when the comparing code is loaded. */
export const LazyDiff = later<DiffViewProps>({
  load: () => import("./diff-view.tsx"),
  name: "diff",
  Meanwhile: ({ diff, late }) => (
    <p data-loading className="inert font-mono text-xs text-quiet">
      {visibleLine(diff.path)}
      {late !== undefined && ": the lines could not be loaded yet. Trying again…"}
    </p>
  ),
});
