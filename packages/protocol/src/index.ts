export { agentEndOf } from "./agent-end.ts";
export { canonicalJson } from "./canonical.ts";
export type {
  Command,
  CommandInput,
  CommandName,
  IntentName,
  Output,
  ReportName,
} from "./commands.ts";
export { type ErrorCode, errorSpec, errorTable, type FieldProblem, HostError } from "./errors.ts";
export type {
  ApprovalOption,
  AskedAgain,
  BlobRef,
  Event,
  EventBody,
  EventKind,
  EventOf,
  Json,
  Stamped,
  WorkspaceMark,
} from "./events.ts";
export { askedAgainIn } from "./fold/approvals.ts";
export { fold, foldAll } from "./fold.ts";
export { foldVersion, packFolded, unpackFolded } from "./folded.ts";
export { type IdKind, isId, makeId, type NewId, type RunId, type SessionId } from "./ids.ts";
export { type RanAgain, ranAgain, ranAgainWords } from "./ran-again.ts";
export { RECOVERED_PARTS, RECOVERED_TEXT, type RecoveredPart } from "./recovered.ts";
export { seedWords } from "./seed-words.ts";
export {
  type ApprovalState,
  emptyState,
  isCarried,
  type OpenTool,
  openRun,
  type QueuedMessage,
  type RunState,
  type RuntimeState,
  type SessionState,
  type SpentToken,
  type StandingRule,
  spokenLength,
  stateLimits,
  type TokenState,
  type WaitResult,
  type WaitState,
} from "./session.ts";
export { type Derived, deriveStatus, needOf, wordOf } from "./status.ts";
export { callStatus, type Part, type TextPart, type ToolPart } from "./transcript/parts.ts";
export type { RunRecord } from "./transcript/run-records.ts";
export type { MessageView } from "./transcript/shapes.ts";
export {
  answerId,
  emptyTranscript,
  type Message,
  type Receipt,
  receiptFrom,
  type Transcript,
  transcriptOf,
} from "./transcript/transcript.ts";
export { answersOfTurn } from "./transcript/turn.ts";
export {
  approvalView,
  callName,
  continuableRun,
  damagedView,
  type ListedView,
  lastActiveAt,
  latestRun,
  listedView,
  messageView,
  queuedView,
  queueView,
  type RunSummary,
  runView,
  sessionView,
  startedRun,
  statusView,
} from "./views.ts";
export {
  type AgentEnd,
  type ApprovalDecision,
  type Grade,
  type Happening,
  type InterruptReason,
  interruptReasons,
  type LaunchScope,
  type NeedKind,
  needKinds,
  type OnOpen,
  onOpenWords,
  outcomeOf,
  type PauseReason,
  type Rung,
  rungs,
  type Scope,
  type SessionWord,
  STOP_REASON,
  type Status,
  scopes,
  statuses,
  type WaitKind,
  type WorkspaceContents,
  type WorkspaceLoss,
} from "./vocabulary.ts";
export {
  paths,
  pathWords,
  type RouteName,
  type RouteParams,
  type RoutePath,
} from "./wire/paths.ts";
export type {
  ParsedBody,
  ParsedQuery,
  RouteBody,
  RouteQuery,
  RouteReply,
  RouteSpec,
  Routes,
} from "./wire/routes.ts";
export type {
  AgentCheckView,
  AgentView,
  ApprovalView,
  DeviceView,
  KeyView,
  Needs,
  Problem,
  QueuedView,
  RunView,
  SessionView,
  StatusView,
} from "./wire/shapes.ts";
export type {
  FileChangeView,
  WorkspaceDiffView,
  WorkspaceEntryView,
  WorkspaceFileView,
  WorkspaceFolderView,
  WorkspaceStatusView,
} from "./wire/workspace-shapes.ts";
export { answerWords, authorWords, isStop } from "./words/answer.ts";
export { askerStopped, askerWords } from "./words/asker.ts";
export { editSize, linesOf } from "./words/edit.ts";
export { endingWords, neverSentWords } from "./words/ending.ts";
export { happeningWords } from "./words/happening.ts";
export { bytes, count, figure } from "./words/measures.ts";
export { type OwnOption, ownOptions, reasonWords } from "./words/options.ts";
export { otherPartWords, wholePartText } from "./words/other-part.ts";
export {
  recoveryWords,
  spliceWords,
  withoutRepeatedRestarts,
} from "./words/receipt.ts";
export { refusalWords } from "./words/refusal.ts";
export {
  type AskedQuestion,
  fieldText,
  type Request,
  requestLine,
  requestOf,
  requestTitle,
} from "./words/request.ts";
export {
  listedTime,
  queuedWords,
  stateWords,
  type Tone,
  type TonedWord,
} from "./words/state.ts";
export {
  askedAgainWords,
  callEndWords,
  decisionWords,
  interruptedButLive,
  interruptionWords,
  launchQueuedWords,
  pauseWords,
  workspaceLossWords,
} from "./words/story.ts";
export { age, ago, duration } from "./words/time.ts";
export {
  exactInput,
  kindWords,
  namedTarget,
  shortLine,
  toolTarget,
  toolWords,
} from "./words/tool.ts";
export { visible, visibleLine } from "./words/visible.ts";
