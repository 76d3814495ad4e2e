export {
  type UsedOutbox,
  type UsedSession,
  type UsedSessions,
  useConnection,
  useOutbox,
  useResume,
  useSession,
  useSessions,
  useWatched,
} from "./hooks.ts";
export { HoldfastProvider, type HoldfastProviderProps, useHoldfast } from "./provider.ts";
export { type StartOptions, type UsedRun, useRun } from "./use-run.ts";
