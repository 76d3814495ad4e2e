/** The file that the address names, so that it can be handed on. */

import { useLocation, useSearch } from "wouter";
import { step } from "./use-layers.ts";

export function useFileLink(): [string | null, (path: string) => void] {
  const [here] = useLocation();
  const file = new URLSearchParams(useSearch()).get("file");
  const open = (path: string) => {
    const search = new URLSearchParams({ file: path });
    step(path === "" ? here : `${here}?${search}`);
  };
  return [file, open];
}

/** Whether the page was opened by such a link. */
export function isFileLinked(search: string): boolean {
  return new URLSearchParams(search).has("file");
}
