import { age, ago } from "@holdfast/protocol";
import type { PointerEvent } from "react";
import { exactTime } from "../words/measures.ts";

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

/** Sets the exact time as a tooltip when the pointer enters. */
export function exactly(at: string) {
  return {
    onPointerEnter({ currentTarget }: PointerEvent<HTMLElement>) {
      currentTarget.title = exactTime(at);
    },
  };
}
