import type { SessionStore } from "@holdfast/client";
import { useEffect, useState } from "react";

/** Often enough for "12 s ago", seldom enough for a phone. */
const EVERY_MS = 5000;

/** The host's clock where a session tells it: this device's may be wrong. */
export function useNow(store?: SessionStore): number {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return store?.hostNow() ?? Date.now();
}
