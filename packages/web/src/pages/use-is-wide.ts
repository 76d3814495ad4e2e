import { useSyncExternalStore } from "react";

/** As tokens.css has it: from here on the list stands beside what is open. */
const wide = matchMedia("(width >= 768px) and (height >= 500px)");

function subscribe(listener: () => void): () => void {
  wide.addEventListener("change", listener);
  return () => wide.removeEventListener("change", listener);
}

export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches);
}
