import { useAsked } from "./use-asked.ts";

/** The command that starts the CLI for this host in a terminal there. */
export function useCommand(isWanted = true): string {
  return useAsked("getHost", { isWanted })?.command ?? "holdfast";
}
