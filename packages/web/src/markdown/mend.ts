/** Closes open Markdown. Until it is loaded, text is shown unchanged. */

import { useSyncExternalStore } from "react";
import type { Mend } from "./blocks.ts";

let mend: Mend | null = null;
let isAsked = false;
const listeners = new Set<() => void>();

async function load(): Promise<void> {
  const { default: remend } = await import("remend");
  mend = (text) => remend(text, { linkMode: "text-only", images: false });
  for (const call of [...listeners]) call();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!isAsked) {
    isAsked = true;
    load().catch(() => undefined);
  }
  return () => listeners.delete(listener);
}

const ignore = () => () => undefined;

export function useMend(isStreaming: boolean): Mend | null {
  return useSyncExternalStore(isStreaming ? subscribe : ignore, () => (isStreaming ? mend : null));
}
