import { age, ago } from "@holdfast/protocol";
import type { PointerEvent } from "react";
import { clock, exactTime } from "../words/measures.ts";

interface TimeProps {
  readonly at: string;
  /** The host's time, since this device's clock may be wrong. */
  readonly now: number;
  readonly className?: string;
  /** "2 min" instead of "2 min ago". */
  readonly isShort?: boolean;
}

export function Time({ at, now, className, isShort = false }: TimeProps) {
  return (
    <time dateTime={at} className={className} {...exactly(at)}>
      {isShort ? age(at, now) : ago(at, now)}
    </time>
  );
}

/** The time of day, with the exact time on hover. */
export function ClockTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} {...exactly(at)} className="shrink-0 text-xs text-quiet">
      {clock(at)}
    </time>
  );
}

/** Sets the exact time as a tooltip when the pointer enters. */
export function exactly(at: string) {
  return {
    onPointerEnter({ currentTarget }: PointerEvent<HTMLElement>) {
      currentTarget.title = exactTime(at);
    },
  };
}
