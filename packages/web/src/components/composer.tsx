/** Where one writes. What is written is kept as a draft with every letter, and sent once. */

import { ArrowUp, Square } from "lucide-react";
import type { KeyboardEvent } from "react";
import { classes } from "./tone.ts";

interface ComposerProps {
  readonly draft: string;
  readonly agent: string;
  /** What a message sent now would do. */
  readonly mode: "start" | "queue" | "outbox" | "ended";
  readonly stop: "none" | "can" | "stopping";
  readonly onDraft: (draft: string) => void;
  readonly onSend: () => void;
  /** Stops the run and sends. */
  readonly onInterrupt: () => void;
  readonly onStop: () => void;
}

const hints = {
  start: "Enter sends · Shift Enter for a new line",
  queue: "Sent now, it waits until the run is over",
  outbox: "The host is away: it is kept here and sent when it is back",
  ended: "This session is over",
} as const;

/** On a phone only what one would not expect is said. */
function hintLook(mode: ComposerProps["mode"], draft: string): string | false {
  if (mode === "start") return "max-wide:hidden";
  return mode === "queue" && draft === "" && "hidden";
}

export function Composer({ draft, agent, mode, stop, ...doings }: ComposerProps) {
  const { onDraft, onSend, onInterrupt, onStop } = doings;
  const canSend = draft.trim() !== "" && mode !== "ended";
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape") event.currentTarget.blur();
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    if (event.ctrlKey || event.metaKey) {
      if (canSend) onInterrupt();
      return;
    }
    // On glass Enter is a new line: a thumb has no Shift.
    if (event.shiftKey || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    if (canSend) onSend();
  };
  return (
    <form
      className="border-t border-hair px-3 pt-2 pb-[max(8px,env(safe-area-inset-bottom))] wide:pr-6 wide:pb-3 wide:pl-13"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend();
      }}
    >
      <div className="flex max-w-[72ch] items-end gap-2">
        <textarea
          value={draft}
          rows={1}
          disabled={mode === "ended"}
          aria-label={`Message to ${agent}`}
          placeholder={mode === "ended" ? hints.ended : `Message ${agent}`}
          className="field-sizing-content max-h-[40dvh] min-h-11 flex-1 resize-none rounded border border-edge bg-paper px-3 py-[9px] text-base"
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={onKey}
        />
        {stop !== "none" && (
          <button
            type="button"
            aria-label={stop === "stopping" ? "Stopping" : "Stop the run"}
            disabled={stop === "stopping"}
            className="flex h-11 items-center gap-2 rounded border border-edge px-3 text-sm font-medium hover:bg-sunken disabled:text-quiet"
            onClick={onStop}
          >
            <Square className="size-3.5 fill-current" aria-hidden="true" />
            <span className={classes(draft !== "" && "max-wide:sr-only")}>
              {stop === "stopping" ? "Stopping …" : "Stop"}
            </span>
          </button>
        )}
        <button
          type="submit"
          aria-label={mode === "queue" ? "Queue this message" : "Send"}
          disabled={!canSend}
          className={classes(
            "flex size-11 shrink-0 items-center justify-center rounded",
            canSend ? "bg-ink text-paper hover:bg-ink/88" : "bg-sunken text-quiet",
          )}
        >
          <ArrowUp className="size-5" aria-hidden="true" />
        </button>
      </div>
      <p className={classes("mt-1 text-xs text-quiet", hintLook(mode, draft))}>{hints[mode]}</p>
    </form>
  );
}
