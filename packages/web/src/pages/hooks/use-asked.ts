import { ApiError, type CallName, type CallOptions } from "@holdfast/client";
import { useHoldfast } from "@holdfast/client/react";
import type { RouteReply } from "@holdfast/protocol";
import { useEffect, useState } from "react";

interface Asked<N extends CallName> {
  readonly options?: Omit<CallOptions<N>, "signal">;
  /** A change repeats the request. */
  readonly key?: unknown;
  readonly isWanted?: boolean;
}

/** The host's reply; null until the first one. An unanswered request is repeated. */
export function useAsked<N extends CallName>(
  name: N,
  { options, key, isWanted = true }: Asked<N> = {},
): RouteReply<N> | null {
  const holdfast = useHoldfast();
  const [reply, setReply] = useState<RouteReply<N> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` identifies the request.
  useEffect(() => {
    if (!isWanted) return;
    const life = new AbortController();
    const { signal } = life;
    const call = holdfast.client.call as (name: N, options: object) => Promise<RouteReply<N>>;
    void holdfast
      .untilAnswered(signal, () => call(name, { ...options, signal }))
      .then((said) => {
        // When the host refuses, the last reply stays.
        if (said !== null && !(said instanceof ApiError || signal.aborted)) setReply(() => said);
      });
    return () => life.abort();
  }, [holdfast, key, isWanted]);
  return reply;
}
