/** The frame around every gallery state. */

import { type ReactNode, useEffect } from "react";
import { SessionList } from "../src/components/list/session-list.tsx";
import type { ListItem } from "../src/components/list/session-row.tsx";
import { SessionScreen } from "../src/components/session/session-screen.tsx";
import { type SessionActions, SessionActionsContext } from "../src/session-actions.ts";
import { NOW } from "./fixtures.ts";
import { base, type Shown } from "./stories.ts";

export const nothing = () => undefined;

/** Drawn locally, because the gallery has no host. */
async function drawnPicture(): Promise<Uint8Array> {
  const canvas = new OffscreenCanvas(640, 360);
  const context = canvas.getContext("2d");
  if (context !== null) {
    context.fillStyle = "#dfe7e2";
    context.fillRect(0, 0, 640, 360);
    context.fillStyle = "#2f6b55";
    context.font = "32px sans-serif";
    context.fillText("A screenshot of a tool", 120, 190);
  }
  return new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
}

const actions: SessionActions = {
  goToList: nothing,
  openPhone: nothing,
  toggleSide: nothing,
  openNew: nothing,
  loadEarlier: nothing,
  readBlob: drawnPicture,
  setDraft: nothing,
  addToDraft: nothing,
  send: nothing,
  stop: nothing,
  decide: nothing,
  keepReason: nothing,
  dismissAnswered: nothing,
  dismissProblem: nothing,
  resume: nothing,
  continueRun: nothing,
  retryRun: nothing,
  dismissRun: nothing,
  editQueued: nothing,
  removeQueued: nothing,
  releaseQueue: nothing,
  retryItem: nothing,
  editItem: nothing,
  dismissItem: nothing,
};

export const doings = {
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

/** Opens a row of a state. For a second, because a list draws rows anew while it measures them. */
export function Pressed({
  what,
  children,
}: {
  readonly what: string;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    let frame = 0;
    let left = 60;
    const press = () => {
      const button = document.querySelector<HTMLElement>(what);
      if (button?.ariaExpanded === "false") button.click();
      if (left-- > 0) frame = requestAnimationFrame(press);
    };
    frame = requestAnimationFrame(press);
    return () => cancelAnimationFrame(frame);
  }, [what]);
  return children;
}

/** `openSplice` is the seq of a receipt that is opened. */
export function screen({ openSplice = null, ...shown }: Shown): ReactNode {
  const drawn = (
    <SessionActionsContext value={actions}>
      <SessionScreen shown={{ ...base, ...shown }} />
    </SessionActionsContext>
  );
  if (openSplice === null) return drawn;
  return <Pressed what={`[data-row="splice-${openSplice}"] button`}>{drawn}</Pressed>;
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
