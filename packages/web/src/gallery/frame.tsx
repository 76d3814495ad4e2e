/** The frame around every gallery state. */

import type { ReactNode } from "react";
import { SessionList } from "../components/list/session-list.tsx";
import type { ListItem } from "../components/list/session-row.tsx";
import {
  type SessionDoings,
  SessionScreen,
  type SessionShown,
} from "../components/session/session-screen.tsx";
import { NOW } from "./fixtures.ts";
import { base } from "./stories.ts";

export const nothing = () => undefined;

const session: SessionDoings = {
  onRetry: nothing,
  onEarlier: nothing,
  onBack: nothing,
  onPhone: nothing,
  onSide: nothing,
  onDecide: nothing,
  onAnsweredSeen: nothing,
  onContinue: nothing,
  onDismiss: nothing,
  onNew: nothing,
  onContinueDismissed: null,
  onDismissFailed: null,
  onProblemSeen: nothing,
  onEditQueued: nothing,
  onRemoveQueued: nothing,
  onRelease: nothing,
  onRetrySend: nothing,
  onEditRefused: nothing,
  onResume: nothing,
  onLetGo: nothing,
  onDraft: nothing,
  onSend: nothing,
  onInterrupt: nothing,
  onStop: nothing,
};

export const doings = {
  session,
  details: {
    onPhone: nothing,
    onPause: nothing,
    onWake: nothing,
    onEnd: nothing,
    onSeen: nothing,
    busy: null,
    problem: null,
    breakIt: null,
    queue: [],
    rules: [],
    onRevokeRule: nothing,
    onRename: nothing,
  },
  settings: {
    onTheme: nothing,
    onNotify: nothing,
    onLink: nothing,
    onSeen: nothing,
    onAgents: nothing,
    onKeyboard: nothing,
    isRevoking: false,
    problem: null,
    onRevoke: async () => true,
  },
};

export function screen(
  shown: Partial<SessionShown>,
  change: Partial<SessionDoings> = {},
): ReactNode {
  return <SessionScreen shown={{ ...base, ...shown }} doings={{ ...session, ...change }} />;
}

export function list(
  sessions: readonly ListItem[],
  notice?: ReactNode,
  empty?: ReactNode,
  aside?: ReactNode,
): ReactNode {
  return (
    <SessionList
      sessions={sessions}
      now={NOW}
      selected={sessions[3]?.id ?? null}
      search=""
      hasMore={false}
      aside={aside}
      notice={notice}
      empty={<div className="wide:hidden">{empty}</div>}
      onSearch={nothing}
      onOpen={nothing}
      onNew={nothing}
      onSettings={nothing}
      onMore={nothing}
    />
  );
}
