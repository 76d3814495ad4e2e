import { useAsked } from "./use-asked.ts";

/** How a terminal on the host calls the CLI for this host: `holdfast`, with `--data` where needed. */
export function useCommand(isWanted = true): string {
  const reply = useAsked<"getHost">(
    (host, signal) => host.call("getHost", { signal }),
    "",
    isWanted,
  );
  return reply?.command ?? "holdfast";
}
