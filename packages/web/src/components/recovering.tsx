/** A session on its way back, rung by rung: which were tried, which is tried now, which are left. */

import { rungs as ladder, type Rung } from "@holdfast/protocol";
import { rungs as rungWords } from "../words/story.ts";
import { classes } from "./tone.ts";

interface RecoveringProps {
  /** The rung that is tried now. Those before it were not to be had. */
  readonly trying: Rung;
  readonly why: string | null;
}

const short: Readonly<Record<Rung, string>> = {
  ...rungWords,
  live: "still up",
  injected: "told the history",
  fresh: "started fresh",
};

export function Recovering({ trying, why }: RecoveringProps) {
  const at = ladder.indexOf(trying);
  return (
    <section
      aria-label="Coming back"
      className="border-t border-hair px-4 py-3 wide:pr-6 wide:pl-13"
    >
      <p className="text-sm">
        <strong className="font-medium text-recovered">Coming back</strong>
        <span className="text-quiet">{why === null ? "" : `: ${why}`}</span>
      </p>
      <ol className="mt-2 grid gap-1 text-sm">
        {ladder.map((rung, i) => (
          <li
            key={rung}
            aria-current={i === at ? "step" : undefined}
            className={classes(
              "flex items-center gap-2",
              i === at ? "font-medium text-recovered" : "text-quiet",
              i < at && "line-through decoration-edge",
            )}
          >
            <Rail state={i < at ? "tried" : i === at ? "now" : "left"} />
            <span className="first-letter:uppercase">{short[rung]}</span>
            <span className={i === at ? "font-normal" : "sr-only"}>
              {i < at ? "not to be had" : i === at ? "trying …" : "not tried yet"}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Rail({ state }: { readonly state: "tried" | "now" | "left" }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className="size-4 shrink-0"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
    >
      {state === "tried" && <path d="m5 5 6 6M11 5l-6 6" />}
      {state === "now" && (
        <g className="pulse">
          <path d="M8 1c5 2 5 5 0 7s-5 5 0 7M8 1C3 3 3 6 8 8s5 5 0 7" />
        </g>
      )}
      {state === "left" && <circle cx="8" cy="8" r="2" />}
    </svg>
  );
}
