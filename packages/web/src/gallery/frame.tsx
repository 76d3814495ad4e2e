/** What every picture has around it. */

import type { ReactNode } from "react";
import { SessionList } from "../components/session-list.tsx";
import type { ListItem } from "../components/session-row.tsx";
import {
  type SessionDoings,
  SessionScreen,
  type SessionShown,
} from "../components/session-screen.tsx";
import { NOW } from "./fixtures.ts";
import { base } from "./stories.ts";

export const nothing = () => undefined;

const session: SessionDoings = {
  ...{ onRetry: nothing, onEarlier: nothing, onBack: nothing, onPhone: nothing, onSide: nothing },
  ...{ onDecide: nothing, onAnsweredSeen: nothing, onContinue: nothing, onDismiss: nothing },
  ...{ onEditQueued: nothing, onRemoveQueued: nothing, onRelease: nothing, onRetrySend: nothing },
  ...{
    onDropSend: nothing,
    onDraft: nothing,
    onSend: nothing,
    onInterrupt: nothing,
    onStop: nothing,
  },
};

export const doings = {
  session,
  details: { onPhone: nothing, onPause: nothing, onEnd: nothing },
  settings: {
    ...{ onTheme: nothing, onNotify: nothing, onRevoke: nothing, onLink: nothing },
    ...{ onAgents: nothing, onKeyboard: nothing },
  },
};

export function screen(shown: Partial<SessionShown>): ReactNode {
  return <SessionScreen shown={{ ...base, ...shown }} doings={session} />;
}

export function list(
  sessions: readonly ListItem[],
  notice?: ReactNode,
  empty?: ReactNode,
): ReactNode {
  return (
    <SessionList
      sessions={sessions}
      now={NOW}
      selected={sessions[2]?.id ?? null}
      search=""
      hasMore={false}
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
