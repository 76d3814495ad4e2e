/** The whole view of a session: header, transcript, and the controls below it. */

import type { Connection, OutboxItem } from "@holdfast/client";
import { type QueuedView, type SessionView, visibleLine } from "@holdfast/protocol";
import { type ComponentProps, useState } from "react";
import type { Row } from "../../line/rows.ts";
import { useSessionActions } from "../../session-actions.ts";
import type { PlaceStorage } from "../../settings/places.ts";
import { type EditStorage, leftQueueOf } from "../../settings/queue-edits.ts";
import { ConnectionDot } from "../../ui/connection-dot.tsx";
import { ProblemStrip } from "../../ui/problem-strip.tsx";
import { connectionWord } from "../../words/connection.ts";
import { stateWord } from "../../words/state.ts";
import { Composer, EndedBar, type Sending, type Stop } from "../composer/composer.tsx";
import { NeverSent } from "../composer/never-sent.tsx";
import { OutboxList } from "../composer/outbox-list.tsx";
import { Queue } from "../composer/queue.tsx";
import { Answered, type AnsweredShown } from "../decision/answered.tsx";
import { type Decision, DecisionTray } from "../decision/decision-tray.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { PausedBar, type PausedShown } from "./paused-bar.tsx";
import { Recovering, type ReviveProgress } from "./recovering.tsx";
import { ResumeBanner } from "./resume-banner.tsx";
import { SessionHeader } from "./session-header.tsx";

type Banner = Pick<
  ComponentProps<typeof ResumeBanner>,
  "reason" | "agentEnd" | "at" | "facts" | "nextRung" | "notice" | "canContinue"
>;

export interface SessionShown {
  readonly session: SessionView;
  readonly rows: readonly Row[];
  readonly now: number;
  readonly connection: Connection;
  readonly isOnline: boolean;
  readonly jump?: { readonly seq: number } | null;
  readonly places?: PlaceStorage | null;
  readonly edits?: EditStorage | null;
  readonly decision: Decision | null;
  readonly answered: AnsweredShown | null;
  readonly banner: Banner | null;
  readonly paused: PausedShown | null;
  readonly recovering: ReviveProgress | null;
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly queue: readonly QueuedView[];
  readonly outbox: readonly OutboxItem[];
  readonly draft: string;
  readonly stop: Stop;
  readonly sending: Sending;
  readonly isSideOpen: boolean;
}

interface SessionScreenProps {
  readonly shown: SessionShown;
}

export function SessionScreen({ shown }: SessionScreenProps) {
  const { session, rows, now, connection, isOnline, outbox } = shown;
  const isAway = connectionWord(connection, isOnline) !== null;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <SessionHeader
        session={session}
        aside={
          isAway ? <ConnectionDot connection={connection} isOnline={isOnline} isOneLine /> : null
        }
        isSideOpen={shown.isSideOpen}
      />
      {/* Screen readers hear of state changes, not of each word of a streaming answer. */}
      <p role="status" aria-live="polite" className="sr-only">
        {visibleLine(`${session.title}: ${stateWord(session).word}`)}
      </p>
      <Transcript
        rows={rows}
        now={now}
        root={session.workspace.path}
        jump={shown.jump ?? null}
        places={shown.places ?? null}
        sending={outbox.filter(({ action }) => action.type === "message").length}
      >
        <OutboxList items={inTranscript(outbox, shown.decision)} />
      </Transcript>
      <Dock shown={shown} />
    </div>
  );
}

/** Leaves out the answer to the question in the tray, which the tray shows. */
function inTranscript(
  outbox: readonly OutboxItem[],
  decision: Decision | null,
): readonly OutboxItem[] {
  return outbox.filter(({ n }) => n !== decision?.given?.n);
}

const nothingQueued: readonly QueuedView[] = [];

/**
 * The controls below the transcript. A decision replaces the composer; everything else stands above
 * it. While a person is typing, the composer stays until it loses the focus.
 */
function Dock({ shown }: SessionScreenProps) {
  const { dismissProblem } = useSessionActions();
  const { session, answered, decision, draft, now, stop, sending } = shown;
  const [isFocused, setFocused] = useState(false);
  const hasDraft = draft.trim() !== "";
  const isWriting = isFocused && hasDraft;
  const isEnded = session.lifecycle === "ended";
  return (
    <>
      {shown.problem !== null && <ProblemStrip words={shown.problem} onClose={dismissProblem} />}
      {decision === null && <Above shown={shown} />}
      {answered !== null && (decision === null || answered.unsent !== "") && (
        <Answered {...answered} />
      )}
      {decision !== null && (
        <DecisionTray
          key={decision.approval.id}
          decision={decision}
          now={now}
          hasDraft={hasDraft && !isWriting}
          stop={isWriting ? "none" : stop}
        />
      )}
      {isEnded && <NeverSent queue={shown.queue} />}
      {/* The queue stays mounted after the end: it keeps edits that were not saved. */}
      <Queue
        queue={isEnded ? nothingQueued : shown.queue}
        isGoing={session.status === "running" || session.status === "waiting"}
        isAside={decision !== null}
        draft={draft}
        whyLeft={(id) => leftQueueOf(shown.rows, isEnded ? shown.queue : nothingQueued, id)}
        storage={shown.edits ?? null}
      />
      {sending === "ended" && <EndedBar />}
      {sending !== "ended" && (decision === null || isWriting) && (
        <Composer
          draft={draft}
          agent={session.agentName}
          mode={sending}
          stop={stop}
          onFocused={setFocused}
        />
      )}
    </>
  );
}

function Above({ shown }: SessionScreenProps) {
  const { banner, paused, recovering, now, isBusy } = shown;
  return (
    <>
      {recovering !== null && <Recovering {...recovering} />}
      {recovering === null && banner !== null && (
        <ResumeBanner {...banner} now={now} isBusy={isBusy} />
      )}
      {recovering === null && paused !== null && <PausedBar paused={paused} isBusy={isBusy} />}
    </>
  );
}
