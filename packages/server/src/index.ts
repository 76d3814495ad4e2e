export type { Agent, AgentSays, Carried, Prompt, Turn } from "./agents/agent.ts";
export type { Clock } from "./base/clock.ts";
export type { Policy } from "./base/policy.ts";
export { type Config, readConfig } from "./config.ts";
export type { HostOptions } from "./host.ts";
export type {
  Appended,
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
export { type FoldedEvents, type Host, openHost, type Start } from "./library.ts";
export { pauseStopped, type Serving, serve } from "./serve.ts";
