/** Where one writes. What is written is kept as a draft with every letter, and sent once. */

import { ArrowUp } from "lucide-react";
import type { KeyboardEvent } from "react";
import { Button } from "./button.tsx";
import { StopButton } from "./stop-button.tsx";
import { classes } from "./tone.ts";

const hints = {
  start: "Enter sends · Shift Enter for a new line",
  queue: "Sent now, it waits until the run is over",
  resume: "Sending resumes the run; the message follows when it is over",
  behind_paused: "The run is paused: sent now, it waits until that goes on and is over",
  wake: "Sending wakes the agent",
  leave: "Sending starts something new and leaves the interrupted work as it is",
  outbox: "Saved on this device. Sends when you're back online.",
} as const;

/** What a message sent now would do. */
export type Sending = keyof typeof hints | "ended";

/** Kept: it was asked for while the host is away. */
export type Stop = "none" | "can" | "kept" | "stopping";

interface ComposerProps {
  readonly draft: string;
  readonly agent: string;
  readonly mode: Exclude<Sending, "ended">;
  readonly stop: Stop;
  readonly onDraft: (draft: string) => void;
  readonly onSend: () => void;
  /** Stops the run and sends. */
  readonly onInterrupt: () => void;
  readonly onStop: () => void;
  /** Whether its field has the focus. */
  readonly onFocused?: (isFocused: boolean) => void;
}

/** On a phone only what one would not expect is said. */
function hintLook(mode: ComposerProps["mode"], draft: string): string | false {
  // On glass Enter makes a new line, however wide the screen is.
  if (mode === "start") return "max-wide:hidden pointer-coarse:hidden";
  // What would happen to a message is no news before there is one.
  return (mode === "queue" || mode === "outbox") && draft.trim() === "" && "hidden";
}

export function Composer({ draft, agent, mode, stop, ...doings }: ComposerProps) {
  const { onDraft, onSend, onInterrupt, onStop, onFocused } = doings;
  const canSend = draft.trim() !== "";
  // "Stops later" and "Stopping …" leave a phone no room for the name.
  const isTight = stop === "kept" || stop === "stopping";
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
      <div className="flex items-end gap-2 wide:max-w-[72ch]">
        <textarea
          value={draft}
          dir="auto"
          rows={1}
          data-kept
          aria-label={`Message to ${agent}`}
          placeholder={isTight ? "Message" : `Message ${agent}`}
          className="field-sizing-content max-h-[40dvh] min-h-11 flex-1 resize-none rounded border border-edge bg-paper px-3 py-[9px] text-base placeholder:overflow-hidden placeholder:whitespace-nowrap"
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={onKey}
          onFocus={() => onFocused?.(true)}
          onBlur={() => onFocused?.(false)}
        />
        <StopButton stop={stop} isNarrow={draft !== ""} onStop={onStop} />
        <button
          type="submit"
          aria-label={mode === "queue" || mode === "behind_paused" ? "Queue this message" : "Send"}
          disabled={!canSend}
          className={classes(
            "flex size-11 shrink-0 items-center justify-center rounded",
            canSend ? "bg-ink text-paper hover:bg-ink/88" : "bg-sunken text-quiet",
          )}
        >
          <ArrowUp className="size-5" aria-hidden="true" />
        </button>
      </div>
      <div className="flex items-center gap-2 wide:max-w-[72ch]">
        <p className={classes("mt-1 flex-1 text-xs text-quiet", hintLook(mode, draft))}>
          {hints[mode]}
        </p>
        {mode === "queue" && canSend && stop === "can" && (
          <button
            type="button"
            className="min-h-11 shrink-0 text-sm underline decoration-edge underline-offset-3 hover:text-ink wide:min-h-8"
            title="Ctrl Enter"
            onClick={onInterrupt}
          >
            Stop and send now
          </button>
        )}
      </div>
    </form>
  );
}

/** In its place when nothing can be sent any more. */
export function EndedBar({ onNew }: { readonly onNew: () => void }) {
  return (
    <section
      aria-label="Ended"
      className="flex items-center gap-3 border-t border-hair px-4 pt-2 pb-[max(8px,env(safe-area-inset-bottom))] text-sm wide:pr-6 wide:pb-3 wide:pl-13"
    >
      <p className="min-w-0 flex-1">
        <strong className="font-medium">This session has ended.</strong>
        <span className="text-quiet"> What happened in it can still be read.</span>
      </p>
      <Button onClick={onNew}>New session</Button>
    </section>
  );
}
