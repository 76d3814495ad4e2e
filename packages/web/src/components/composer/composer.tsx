/** The message box. Its draft is saved with every keystroke, and each message is sent once. */

import { ArrowUp } from "lucide-react";
import type { KeyboardEvent } from "react";
import { useSessionActions } from "../../session-actions.ts";
import { Button, TextButton } from "../../ui/button.tsx";
import { classes } from "../../ui/tone.ts";
import { StopButton } from "./stop-button.tsx";

const hints = {
  start: "Enter sends · Shift Enter for a new line",
  queue: "Queued until the run is done",
  resume: "Resumes the run; the message is sent when the run is done",
  behind_paused: "The run is paused. The message is sent after the run is resumed and done",
  wake: "Sending starts the agent",
  leave: "Sending starts a new run and dismisses the interrupted work",
  outbox: "Saved on this device. Sends when you're back online.",
} as const;

export type Sending = keyof typeof hints | "ended";

/** `kept`: a stop was requested while the host is offline. */
export type Stop = "none" | "can" | "kept" | "stopping";

interface ComposerProps {
  readonly draft: string;
  readonly agent: string;
  readonly mode: Exclude<Sending, "ended">;
  readonly stop: Stop;
  readonly onFocused?: (isFocused: boolean) => void;
}

/** Classes that hide the hint: on a phone only unexpected effects are explained. */
function hintLook(mode: ComposerProps["mode"], draft: string): string | false {
  // The hint is about the Enter key, which makes a new line on every touch screen.
  if (mode === "start") return "max-wide:hidden pointer-coarse:hidden";
  // The effect of a message is shown only once there is text to send.
  return (mode === "queue" || mode === "outbox") && draft.trim() === "" && "hidden";
}

export function Composer({ draft, agent, mode, stop, onFocused }: ComposerProps) {
  const { send, setDraft } = useSessionActions();
  const canSend = draft.trim() !== "";
  // "Stops later" and "Stopping …" leave a phone no room for the name.
  const isTight = stop === "kept" || stop === "stopping";
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape") event.currentTarget.blur();
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    if (event.ctrlKey || event.metaKey) {
      if (canSend) send("interrupt");
      return;
    }
    // On touch screens Enter makes a new line, because there is no Shift key at hand.
    if (event.shiftKey || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    if (canSend) send("queue");
  };
  return (
    <form
      className="border-t border-hair px-3 pt-2 pb-[max(8px,env(safe-area-inset-bottom))] wide:pr-6 wide:pb-3 wide:pl-13"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) send("queue");
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
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKey}
          onFocus={() => onFocused?.(true)}
          onBlur={() => onFocused?.(false)}
        />
        <StopButton stop={stop} isNarrow={draft !== ""} />
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
          <TextButton
            className="min-h-11 shrink-0 text-sm wide:min-h-8"
            title="Ctrl Enter"
            onClick={() => send("interrupt")}
          >
            Stop and send now
          </TextButton>
        )}
      </div>
    </form>
  );
}

export function EndedBar() {
  const { openNew } = useSessionActions();
  return (
    <section
      aria-label="Ended"
      className="flex items-center gap-3 border-t border-hair px-4 pt-2 pb-[max(8px,env(safe-area-inset-bottom))] text-sm wide:pr-6 wide:pb-3 wide:pl-13"
    >
      <p className="min-w-0 flex-1">
        <strong className="font-medium">This session has ended.</strong>
        <span className="text-quiet"> You can still read it.</span>
      </p>
      <Button onClick={openNew}>New session</Button>
    </section>
  );
}
