import { useAsked } from "./use-asked.ts";

/** The command that starts the CLI for this host in a terminal there. */
export function useCommand(isWanted = true): string {
  const reply = useAsked<"getHost">(
    (host, signal) => host.call("getHost", { signal }),
    "",
    isWanted,
  );
  return reply?.command ?? "holdfast";
}
