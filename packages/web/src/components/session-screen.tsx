/** One session, whole: header, transcript along the line, and below it whatever comes next. */

import type { Connection, OutboxItem } from "@holdfast/client";
import type {
  ApprovalDecision,
  ApprovalView,
  QueuedView,
  Rung,
  SessionView,
} from "@holdfast/protocol";
import type { ComponentProps } from "react";
import type { Row } from "../line/rows.ts";
import { connectionWord } from "../words/connection.ts";
import { stateWord } from "../words/state.ts";
import { Announcer } from "./announcer.tsx";
import { Answered } from "./answered.tsx";
import { Composer } from "./composer.tsx";
import { ConnectionDot } from "./connection-dot.tsx";
import { type Decision, DecisionTray } from "./decision-tray.tsx";
import { OutboxList } from "./outbox-list.tsx";
import { Queue } from "./queue.tsx";
import { Recovering } from "./recovering.tsx";
import { ResumeBanner } from "./resume-banner.tsx";
import type { RowDoings } from "./rows/row-view.tsx";
import { SessionHeader } from "./session-header.tsx";
import { Transcript } from "./transcript.tsx";

type Banner = Pick<
  ComponentProps<typeof ResumeBanner>,
  "reason" | "at" | "facts" | "nextRung" | "hindrance"
>;

export interface SessionShown {
  readonly session: SessionView;
  readonly rows: readonly Row[];
  readonly now: number;
  readonly connection: Connection;
  readonly isOnline: boolean;
  readonly openSplice?: number | null;
  readonly jump?: { readonly seq: number } | null;
  readonly decision: Decision | null;
  /** A question that was answered elsewhere just now. */
  readonly answered: ApprovalView | null;
  readonly banner: Banner | null;
  readonly recovering: { readonly trying: Rung; readonly why: string | null } | null;
  readonly queue: readonly QueuedView[];
  readonly outbox: readonly OutboxItem[];
  readonly draft: string;
  readonly stop: ComponentProps<typeof Composer>["stop"];
  readonly isSideOpen: boolean;
}

export interface SessionDoings extends RowDoings {
  readonly onBack: () => void;
  readonly onPhone: () => void;
  readonly onSide: () => void;
  readonly onDecide: (decision: ApprovalDecision, reason?: string) => void;
  readonly onAnsweredSeen: () => void;
  readonly onContinue: () => void;
  readonly onDismiss: () => void;
  readonly onEditQueued: (id: string, content: string) => void;
  readonly onRemoveQueued: (id: string) => void;
  readonly onRelease: () => void;
  readonly onRetrySend: (n: number) => void;
  readonly onDropSend: (n: number) => void;
  readonly onDraft: (draft: string) => void;
  readonly onSend: () => void;
  readonly onInterrupt: () => void;
  readonly onStop: () => void;
}

interface SessionScreenProps {
  readonly shown: SessionShown;
  readonly doings: SessionDoings;
}

export function SessionScreen({ shown, doings }: SessionScreenProps) {
  const { session, rows, now, connection, isOnline, outbox } = shown;
  const isAway = connectionWord(connection, isOnline) !== null;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <SessionHeader
        session={session}
        aside={isAway ? <ConnectionDot connection={connection} isOnline={isOnline} /> : null}
        isSideOpen={shown.isSideOpen}
        onBack={doings.onBack}
        onPhone={doings.onPhone}
        onSide={doings.onSide}
      />
      <Announcer words={`${session.title}: ${stateWord(session).word}`} />
      <Transcript
        rows={rows}
        now={now}
        doings={doings}
        openSplice={shown.openSplice ?? null}
        jump={shown.jump ?? null}
      >
        <OutboxList items={outbox} onRetry={doings.onRetrySend} onDismiss={doings.onDropSend} />
      </Transcript>
      <Dock shown={shown} doings={doings} />
    </div>
  );
}

/** What comes next: a decision takes the composer's place, everything else stands above it. */
function Dock({ shown, doings }: SessionScreenProps) {
  const { session, decision, answered, banner, recovering, queue, draft, now } = shown;
  if (decision !== null) {
    const hasDraft = draft.trim() !== "";
    return (
      <DecisionTray decision={decision} now={now} hasDraft={hasDraft} onDecide={doings.onDecide} />
    );
  }
  const isGoing = session.status === "running" || session.status === "waiting";
  return (
    <>
      {recovering !== null && <Recovering {...recovering} />}
      {banner !== null && (
        <ResumeBanner
          {...banner}
          now={now}
          onContinue={doings.onContinue}
          onDismiss={doings.onDismiss}
        />
      )}
      {answered !== null && <Answered approval={answered} onDismiss={doings.onAnsweredSeen} />}
      <Queue
        queue={queue}
        isGoing={isGoing}
        onEdit={doings.onEditQueued}
        onRemove={doings.onRemoveQueued}
        onRelease={doings.onRelease}
      />
      <Composer
        draft={draft}
        agent={session.agentName}
        mode={composerMode(shown, isGoing)}
        stop={shown.stop}
        onDraft={doings.onDraft}
        onSend={doings.onSend}
        onInterrupt={doings.onInterrupt}
        onStop={doings.onStop}
      />
    </>
  );
}

function composerMode({ session, connection }: SessionShown, isGoing: boolean) {
  if (session.lifecycle === "ended") return "ended";
  if (connection.state === "away") return "outbox";
  return isGoing ? "queue" : "start";
}
