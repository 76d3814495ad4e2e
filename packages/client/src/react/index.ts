export {
  type UsedOutbox,
  type UsedSession,
  useConnection,
  useOutbox,
  useSession,
  useWatched,
} from "./hooks.ts";
export { HoldfastProvider, type HoldfastProviderProps, useHoldfast } from "./provider.ts";
export { useResume } from "./use-resume.ts";
export { type StartOptions, type UsedRun, useRun } from "./use-run.ts";
export { type UsedSessions, useSessions } from "./use-sessions.ts";
