/** The question in the tray, from the session's store and the outbox. */

import type { OutboxItem, SessionSnapshot } from "@holdfast/client";
import {
  type ApprovalView,
  askedAgainWords,
  askerWords,
  type Message,
  requestLine,
  requestOf,
  requestTitle,
  type ToolPart,
} from "@holdfast/protocol";
import type { Decision, Earlier, Given } from "../../components/decision/decision-tray.tsx";
import { diffOf } from "../../line/parts.ts";
import { lastWords } from "../../text/last-words.ts";
import { placeOf } from "../../words/happening.ts";
import { keepingOf } from "../../words/keeping.ts";
import { within } from "../../words/tool.ts";

type Asking = Pick<SessionSnapshot, "approvals" | "session" | "state" | "messages">;

/** The oldest question without an answer from this device, or else the oldest. */
export function decisionOf(
  { approvals, session, state, messages }: Asking,
  outbox: readonly OutboxItem[],
): Decision | null {
  const given = (approval: ApprovalView) => givenTo(approval.id, outbox);
  const approval = approvals.find((one) => given(one) === null) ?? approvals[0];
  if (approval === undefined || session === null) return null;
  const wait = state?.run?.waits.find(({ approvalId }) => approvalId === approval.id);
  const request = requestOf(approval);
  const { path } = session.workspace;
  return {
    approval,
    request,
    folder: path,
    title: within(requestTitle(request, callOf(approval, messages)), path),
    where: placeOf(session),
    why: whyOf(messages.at(-1), approval.toolUseId),
    askedAt: wait?.openedAt ?? null,
    isUnconfined: session.isolation === "none",
    earlier: earlierOf(approval, messages.at(-1), path),
    asker: state === null ? null : askerWords(state, approval.id, session.runtime.state),
    place: { n: approvals.indexOf(approval) + 1, of: approvals.length },
    given: given(approval),
  };
}

/** Why an earlier answer was not used, and what differs from its question. */
function earlierOf(
  { askedAgain }: ApprovalView,
  message: Message | undefined,
  root: string | null,
): Earlier | null {
  if (askedAgain === undefined) return null;
  const { reason, before = null, files, head } = askedAgain;
  const commits = head === undefined ? [] : [`commit ${short(head.from)} → ${short(head.to)}`];
  const changed = reason === "input_changed" ? " What changed:" : "";
  const edited = editedSince(message?.contentParts ?? [], askedAgain.approvalId, root);
  const named = files.map((file) => (edited.has(file) ? `${file}, changed by the agent` : file));
  return {
    reason: `${askedAgainWords(askedAgain)}${changed}`,
    input: before,
    files: [...commits, ...named],
  };
}

/** The files that the agent's completed calls have edited since it asked the earlier question. */
function editedSince(
  parts: Message["contentParts"],
  approvalId: string | undefined,
  root: string | null,
): ReadonlySet<string> {
  const asked = parts.findIndex((part) => part.type === "tool" && part.approval?.id === approvalId);
  const since = approvalId === undefined || asked < 0 ? [] : parts.slice(asked);
  const done = new Set(
    since.flatMap((part) =>
      part.type === "tool" && part.status === "completed" ? part.toolCallId : [],
    ),
  );
  const diffs = since.flatMap((part) => (part.type === "other" ? (diffOf(part.part) ?? []) : []));
  const edits = diffs.filter(({ toolCallId }) => toolCallId !== null && done.has(toolCallId));
  return new Set(edits.map(({ path }) => within(path, root)));
}

const short = (commit: string | null) => commit?.slice(0, 8) ?? "none";

/** The answer given to a question. A refused answer does not count: its question is open again. */
export function givenTo(approvalId: string, outbox: readonly OutboxItem[]): Given | null {
  const item = outbox.findLast(
    ({ action }) => action.type === "approval" && action.approvalId === approvalId,
  );
  if (item?.action.type !== "approval") return null;
  const { decision, reason = null, option = null } = item.action;
  const state = keepingOf(item);
  return state === "refused" ? null : { decision, reason, option, n: item.n, state };
}

/** A question in one line, for places that do not show the request. */
export function askedLine(
  approval: ApprovalView,
  messages: readonly Message[],
  root: string | null,
): string {
  return within(requestLine(requestOf(approval), callOf(approval, messages)), root);
}

/** The call of a question: the question has only the call's kind, and the call its name. */
function callOf({ toolUseId, toolName, toolInput }: ApprovalView, messages: readonly Message[]) {
  const isIt = (part: Message["contentParts"][number]): part is ToolPart =>
    part.type === "tool" && part.toolCallId === toolUseId;
  const call = messages.at(-1)?.contentParts.find(isIt);
  return { name: call?.name ?? toolName, input: toolInput };
}

/** The agent's last text before the question, which usually gives the reason. */
export function whyOf(message: Message | undefined, toolCallId: string): string {
  const parts = message?.contentParts ?? [];
  const at = parts.findIndex((part) => part.type === "tool" && part.toolCallId === toolCallId);
  const before = at < 0 ? parts : parts.slice(0, at);
  const last = before.findLast((part) => part.type === "text");
  return last?.type === "text" ? lastWords(lastParagraph(last.text), MOST_WHY) : "";
}

/** About three lines on a phone. */
const MOST_WHY = 160;

function lastParagraph(text: string): string {
  return (
    text
      .trim()
      .split(/\n\s*\n/)
      .at(-1)
      ?.trim() ?? ""
  );
}
