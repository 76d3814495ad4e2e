import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../../ui/tone.ts";

interface UnfoldProps {
  readonly isOpen: boolean;
  readonly onPress: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The first line of a row that expands when it is pressed. */
export function Unfold({ isOpen, onPress, className, children }: UnfoldProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      className={classes("flex min-h-10 w-full items-center gap-2 text-left text-sm", className)}
      onClick={onPress}
    >
      {children}
      <ChevronRight
        className={classes("ml-auto size-4 shrink-0 text-quiet", isOpen && "rotate-90")}
        aria-hidden="true"
      />
    </button>
  );
}
