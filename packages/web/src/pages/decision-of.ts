/** A question as the tray shows it, from what the session's store has. */

import type { SessionSnapshot } from "@holdfast/client";
import type { Message } from "@holdfast/protocol";
import type { Decision } from "../components/decision-tray.tsx";

export function decisionOf({
  approvals,
  session,
  state,
  messages,
}: SessionSnapshot): Decision | null {
  const [approval] = approvals;
  if (approval === undefined || session === null) return null;
  const wait = state?.run?.waits.find(({ approvalId }) => approvalId === approval.id);
  const { path, branch } = session.workspace;
  const where = [session.agentName, path && `in ${path}`, branch && `on ${branch}`];
  return {
    approval,
    where: where.filter(Boolean).join(" "),
    why: whyOf(messages.at(-1), approval.toolUseId),
    askedAt: wait?.openedAt ?? null,
    isChanged: false,
    place: { n: 1, of: approvals.length },
  };
}

/** The last thing that the agent said before it asked: most often that is its reason. */
export function whyOf(message: Message | undefined, toolCallId: string): string {
  const parts = message?.contentParts ?? [];
  const at = parts.findIndex((part) => part.type === "tool" && part.toolCallId === toolCallId);
  const before = at < 0 ? parts : parts.slice(0, at);
  const last = before.findLast((part) => part.type === "text");
  return last?.type === "text" ? lastParagraph(last.text) : "";
}

function lastParagraph(text: string): string {
  return (
    text
      .trim()
      .split(/\n\s*\n/)
      .at(-1)
      ?.trim() ?? ""
  );
}
