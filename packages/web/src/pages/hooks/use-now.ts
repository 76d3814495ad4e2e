import type { SessionStore } from "@holdfast/client";
import { useEffect, useState } from "react";

/** Frequent enough for "12 s ago", rare enough for a phone's battery. */
const EVERY_MS = 5000;

/** The host's time, when a session's store knows it, since this device's clock may be wrong. */
export function useNow(store?: SessionStore): number {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return store?.hostNow() ?? Date.now();
}
