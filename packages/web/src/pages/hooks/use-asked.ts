import type { CallName, Client } from "@holdfast/client";
import { useHoldfast } from "@holdfast/client/react";
import type { RouteReply } from "@holdfast/protocol";
import { useEffect, useState } from "react";

/** The reply to a request that is repeated when `key` changes; null until the first reply. */
export function useAsked<N extends CallName>(
  ask: (client: Client, signal: AbortSignal) => Promise<RouteReply<N>>,
  key: unknown,
  isWanted = true,
): RouteReply<N> | null {
  const { client } = useHoldfast();
  const [reply, setReply] = useState<RouteReply<N> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` identifies the request.
  useEffect(() => {
    if (!isWanted) return;
    const life = new AbortController();
    // When the host is unreachable or refuses, the last reply stays.
    ask(client, life.signal).then(
      (said) => life.signal.aborted || setReply(() => said),
      () => undefined,
    );
    return () => life.abort();
  }, [client, key, isWanted]);
  return reply;
}
