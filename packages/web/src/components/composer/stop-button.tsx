import { Square } from "lucide-react";
import { useSessionActions } from "../../session-actions.ts";
import { classes } from "../../ui/tone.ts";
import type { Stop } from "./composer.tsx";

interface StopButtonProps {
  readonly stop: Stop;
  readonly isNarrow?: boolean;
  readonly className?: string;
}

const words = {
  can: { label: "Stop the run", word: "Stop" },
  kept: { label: "Stops when the host is reachable again", word: "Stops later" },
  stopping: { label: "Stopping", word: "Stopping …" },
} as const;

export function StopButton({ stop, isNarrow = false, className }: StopButtonProps) {
  const actions = useSessionActions();
  if (stop === "none") return null;
  const { label, word } = words[stop];
  return (
    <button
      type="button"
      aria-label={label}
      disabled={stop !== "can"}
      className={classes(
        "flex h-11 shrink-0 items-center gap-2 rounded border border-edge bg-paper px-3 text-sm font-medium hover:bg-sunken disabled:text-quiet",
        className,
      )}
      onClick={actions.stop}
    >
      <Square className="size-3.5 fill-current" aria-hidden="true" />
      <span className={classes(isNarrow && "max-wide:sr-only")}>{word}</span>
    </button>
  );
}
