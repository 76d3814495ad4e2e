import { listedTime, type SessionView, visibleLine } from "@holdfast/protocol";
import { Glyph } from "../../ui/glyph.tsx";
import { Time } from "../../ui/time.tsx";
import { classes, toneText } from "../../ui/tone.ts";
import { stateWord } from "../../words/state.ts";

export interface ListItem extends SessionView {
  readonly unread: boolean;
  /** The last activity in one line: "editing src/auth.ts". */
  readonly lastly: string;
}

interface SessionRowProps {
  readonly session: ListItem;
  readonly now: number;
  readonly isSelected: boolean;
  readonly onOpen: (id: string) => void;
}

export function SessionRow({ session, now, isSelected, onOpen }: SessionRowProps) {
  const { glyph, tone, word, group } = stateWord(session);
  const isLoud = group === "Needs you" || group === "Stopped";
  return (
    <a
      href={`/s/${session.id}`}
      aria-current={isSelected ? "page" : undefined}
      className={classes(
        "relative grid min-h-16 grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2 wide:min-h-14",
        isSelected ? "bg-pressed" : "hover:bg-sunken active:bg-pressed",
      )}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onOpen(session.id);
      }}
    >
      <Glyph glyph={glyph} tone={tone} isLive />
      <span
        dir="auto"
        className={classes("inert truncate", session.unread ? "font-semibold" : "font-medium")}
      >
        {visibleLine(session.title) || "Untitled"}
      </span>
      <span className="flex items-center gap-2 text-xs text-quiet">
        {session.unread && !isSelected && <Unread />}
        <Time at={listedTime(session)} now={now} isShort />
      </span>
      <span className="col-span-2 col-start-2 flex min-w-0 gap-1.5 text-sm text-quiet">
        <span className={classes("shrink-0", toneText[isLoud ? tone : "quiet"])}>{word}</span>
        <span aria-hidden="true">·</span>
        <span className="inert truncate">{visibleLine(session.lastly)}</span>
      </span>
    </a>
  );
}

function Unread() {
  return (
    <>
      <svg viewBox="0 0 8 8" className="size-2 text-ink" aria-hidden="true">
        <circle cx="4" cy="4" r="3.5" fill="currentColor" />
      </svg>
      <span className="sr-only">unread on this device</span>
    </>
  );
}
