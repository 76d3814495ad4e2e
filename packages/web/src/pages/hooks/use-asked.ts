import type { CallName, CallOptions } from "@holdfast/client";
import { useHoldfast } from "@holdfast/client/react";
import type { RouteReply } from "@holdfast/protocol";
import { useEffect, useState } from "react";

interface Asked<N extends CallName> {
  readonly options?: Omit<CallOptions<N>, "signal">;
  /** A change repeats the request. */
  readonly key?: unknown;
  readonly isWanted?: boolean;
}

/** The host's reply; null until the first one. */
export function useAsked<N extends CallName>(
  name: N,
  { options, key, isWanted = true }: Asked<N> = {},
): RouteReply<N> | null {
  const { client } = useHoldfast();
  const [reply, setReply] = useState<RouteReply<N> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` identifies the request.
  useEffect(() => {
    if (!isWanted) return;
    const life = new AbortController();
    const call = client.call as (name: N, options: object) => Promise<RouteReply<N>>;
    // When the host is unreachable or refuses, the last reply stays.
    call(name, { ...options, signal: life.signal }).then(
      (said) => life.signal.aborted || setReply(() => said),
      () => undefined,
    );
    return () => life.abort();
  }, [client, key, isWanted]);
  return reply;
}
