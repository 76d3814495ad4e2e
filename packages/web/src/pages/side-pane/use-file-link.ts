/** The file that the address names, so that the link can be shared. */

import { useLocation, useSearch } from "wouter";
import { step } from "../hooks/use-layers.ts";

export function useFileLink(): [string | null, (path: string) => void] {
  const [here] = useLocation();
  const file = new URLSearchParams(useSearch()).get("file");
  const open = (path: string) => {
    const search = new URLSearchParams({ file: path });
    step(path === "" ? here : `${here}?${search}`);
  };
  return [file, open];
}

export function isFileLinked(search: string): boolean {
  return new URLSearchParams(search).has("file");
}
