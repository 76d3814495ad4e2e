import { useSyncExternalStore } from "react";

/** As tokens.css has it: from here on the list stands beside what is open. */
const wide = matchMedia("(min-width: 768px)");

function subscribe(listener: () => void): () => void {
  wide.addEventListener("change", listener);
  return () => wide.removeEventListener("change", listener);
}

export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches);
}
