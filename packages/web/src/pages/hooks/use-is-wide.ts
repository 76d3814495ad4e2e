import { useSyncExternalStore } from "react";

/** The breakpoint of tokens.css from which the list stands beside the open session. */
const wide = matchMedia("(width >= 768px) and (height >= 500px)");

function subscribe(listener: () => void): () => void {
  wide.addEventListener("change", listener);
  return () => wide.removeEventListener("change", listener);
}

export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches);
}
