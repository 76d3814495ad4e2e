import type { Connection } from "@holdfast/client";
import { connectionWord } from "../words/connection.ts";
import { classes, toneText } from "./tone.ts";

interface ConnectionDotProps {
  readonly connection: Connection;
  readonly isOnline: boolean;
  /** True where there is room for a single line. */
  readonly isOneLine?: boolean;
}

/** The connection as a dot and a word, shown only while it is not live. */
export function ConnectionDot({ connection, isOnline, isOneLine = false }: ConnectionDotProps) {
  const said = connectionWord(connection, isOnline);
  if (said === null) return null;
  return (
    <span
      className={classes("inline-flex min-w-0 items-center gap-2 text-sm", toneText[said.tone])}
      title={said.means}
    >
      <svg
        viewBox="0 0 8 8"
        className={classes("size-2 shrink-0", said.tone === "alive" && "pulse")}
        aria-hidden="true"
      >
        <circle
          cx="4"
          cy="4"
          r="3"
          fill={said.tone === "alive" ? "currentColor" : "none"}
          stroke="currentColor"
          strokeWidth="1.5"
        />
      </svg>
      <span className={isOneLine ? "truncate" : "line-clamp-2 leading-4"}>{said.word}</span>
    </span>
  );
}
