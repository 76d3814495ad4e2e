/** The file that the address names, so that it can be handed on. */

import { useLocation, useSearch } from "wouter";

export function useFileLink(): [string | null, (path: string) => void] {
  const [here, go] = useLocation();
  const file = new URLSearchParams(useSearch()).get("file");
  const open = (path: string) => {
    const search = new URLSearchParams({ file: path });
    go(path === "" ? here : `${here}?${search}`, { replace: true });
  };
  return [file, open];
}

/** Whether the page was opened by such a link. */
export function isFileLinked(search: string): boolean {
  return new URLSearchParams(search).has("file");
}
