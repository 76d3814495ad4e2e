/** A session's title, and a line with its status, the connection and its place. */

import { type SessionView, visibleLine } from "@holdfast/protocol";
import { ChevronLeft, PanelRight, QrCode } from "lucide-react";
import type { ReactNode } from "react";
import { useSessionActions } from "../../session-actions.ts";
import { IconButton } from "../../ui/button.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { classes, toneText } from "../../ui/tone.ts";
import { placeOf } from "../../words/happening.ts";
import { stateWord } from "../../words/state.ts";

interface SessionHeaderProps {
  readonly session: SessionView;
  readonly aside?: ReactNode;
  readonly isSideOpen: boolean;
}

export function SessionHeader({ session, aside, isSideOpen }: SessionHeaderProps) {
  const { goToList, openPhone, toggleSide } = useSessionActions();
  const { glyph, tone, word } = stateWord(session);
  return (
    <header className="flex shrink-0 items-center gap-1 border-b border-hair pt-[env(safe-area-inset-top)] pr-1 wide:h-[85px] wide:pr-4 wide:pl-5">
      <IconButton label="All sessions" className="wide:hidden" onClick={goToList}>
        <ChevronLeft />
      </IconButton>
      <div className="min-w-0 flex-1 py-2 short:py-0.5">
        <h1 dir="auto" className="inert truncate text-lg font-semibold">
          {visibleLine(session.title) || "Untitled"}
        </h1>
        {/* One line: without room for the place, the place wraps out of view with its dot. */}
        <p className="flex h-5 min-w-0 flex-wrap items-center gap-x-1.5 overflow-hidden text-sm text-quiet">
          <span className="flex h-5 min-w-0 max-w-full items-center gap-1.5">
            <Glyph glyph={glyph} tone={tone} isLive />
            <span className={classes("shrink-0 font-medium", toneText[tone])}>{word}</span>
            {aside !== undefined && aside !== null && (
              <>
                <span aria-hidden="true">·</span>
                {aside}
              </>
            )}
          </span>
          <span className="flex h-5 min-w-0 flex-[1_1_8em] gap-1.5">
            <span aria-hidden="true">·</span>
            <span className="inert truncate">{visibleLine(placeOf(session))}</span>
          </span>
        </p>
      </div>
      <IconButton label="Open on a phone" className="max-wide:hidden" onClick={openPhone}>
        <QrCode />
      </IconButton>
      <IconButton
        label="Changes, files, timeline, details"
        aria-pressed={isSideOpen}
        onClick={toggleSide}
      >
        <PanelRight />
      </IconButton>
    </header>
  );
}
