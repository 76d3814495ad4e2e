import { age, ago } from "@holdfast/protocol";
import type { PointerEvent } from "react";
import { exactTime } from "../words/measures.ts";

interface TimeProps {
  readonly at: string;
  /** The host's clock: this device's may be wrong. */
  readonly now: number;
  readonly className?: string;
  /** "2 min" instead of "2 min ago". */
  readonly isShort?: boolean;
}

/** Relative, with the exact time on hover. */
export function Time({ at, now, className, isShort = false }: TimeProps) {
  return (
    <time dateTime={at} className={className} {...exactly(at)}>
      {isShort ? age(at, now) : ago(at, now)}
    </time>
  );
}

/** The exact time, for whoever points at it. */
export function exactly(at: string) {
  return {
    onPointerEnter({ currentTarget }: PointerEvent<HTMLElement>) {
      currentTarget.title = exactTime(at);
    },
  };
}
