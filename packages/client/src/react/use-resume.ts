import { useEffect, useMemo } from "react";
import type { ResumeState } from "../session/resume-attempt.ts";
import { useWatched } from "./hooks.ts";
import { useHoldfast } from "./provider.ts";

/** Checks the session's status when its page opens, and revives its agent if needed. */
export function useResume(session: string): ResumeState {
  const holdfast = useHoldfast();
  const attempt = useMemo(() => holdfast.resumeAttempt(session), [holdfast, session]);
  useEffect(() => {
    attempt.start();
    return () => attempt.leave();
  }, [attempt]);
  return useWatched(attempt);
}
