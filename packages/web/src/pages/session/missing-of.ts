import type { SessionSnapshot } from "@holdfast/client";

interface Missing {
  readonly title: string;
  readonly about: string;
}

/** Why there is no session to show; null while it may still load. */
export function missingWords({
  phase,
  refusal,
  session,
}: Pick<SessionSnapshot, "phase" | "refusal" | "session">): Missing | null {
  if (phase === "gone" && session !== null) {
    return { title: "This session was removed", about: "It is no longer on this host." };
  }
  // A malformed id gets the same message as an unknown one.
  if (phase === "gone" || refusal?.code === "bad_input") {
    const about =
      "This host has no session at this address. It may have been removed, or may be on another host.";
    return { title: "No such session", about };
  }
  if (phase !== "refused") return null;
  return { title: "This session cannot be opened", about: refusal?.message ?? "" };
}
