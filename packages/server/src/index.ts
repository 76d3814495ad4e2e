export type { Agent, AgentSays, Carried, Prompt, Turn } from "./agents/agent.ts";
export { backupData } from "./backup.ts";
export { type Clock, systemClock } from "./base/clock.ts";
export { checkOverrides, defaultPolicy, type Policy, policyTable } from "./base/policy.ts";
export { version } from "./base/version.ts";
export { type Config, type ConfigFlags, readConfig } from "./config.ts";
export { type Host, type HostOptions, openHost } from "./host.ts";
export { type Blobs, fileBlobs } from "./journal/blobs.ts";
export type {
  Appended,
  BackupReport,
  Base,
  Batch,
  CursorMove,
  Damage,
  Head,
  Journal,
  ListPage,
  ListQuery,
  OnceFact,
  Slice,
  Standing,
} from "./journal/journal.ts";
export { MemoryDisk, openMemoryJournal } from "./journal/memory.ts";
export { isWholeFile } from "./journal/sqlite/file/soundness.ts";
export { openSqliteJournal } from "./journal/sqlite/open.ts";
export { type RepairReport, repairSqliteJournal } from "./journal/sqlite/repair/repair.ts";
export { type Serving, serve } from "./serve.ts";
export type { Followed, FollowOptions } from "./session/follow.ts";
export type { Executed } from "./session/owner.ts";
export {
  type HolderRecovery,
  noHolders,
  type RecoveryReport,
  type Verdict,
} from "./session/recovery.ts";
export { clearToken, newSecret, presentToken, type Secret } from "./session/secrets.ts";
export { Sessions } from "./session/sessions.ts";
export { sseFrames } from "./streams/sse/sse.ts";
