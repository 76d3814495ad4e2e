/** The progress of a revive: the steps that succeeded or failed so far, and the current one. */

import { visibleLine } from "@holdfast/protocol";
import { Stroke } from "../../ui/glyph.tsx";
import { classes } from "../../ui/tone.ts";

export interface ReviveStep {
  readonly words: string;
  readonly is: "done" | "missed";
}

export interface ReviveProgress {
  readonly steps: readonly ReviveStep[];
  readonly now: string;
}

export function Recovering({ steps, now }: ReviveProgress) {
  return (
    <section
      aria-label="Restarting the agent"
      className="border-t border-hair px-4 py-3 wide:pr-6 wide:pl-13"
    >
      <p className="text-sm font-medium text-recovered">Restarting the agent</p>
      <ol className="mt-2 grid gap-1 text-sm">
        {steps.map(({ words, is }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever added at the end.
          <li key={i} className="flex items-start gap-2 text-quiet">
            <Rail is={is} />
            <span className="inert min-w-0">{visibleLine(words)}</span>
          </li>
        ))}
        <li aria-current="step" className="flex items-start gap-2 font-medium text-recovered">
          <Rail is="now" />
          <span>{now} …</span>
        </li>
      </ol>
    </section>
  );
}

function Rail({ is }: { readonly is: ReviveStep["is"] | "now" }) {
  return (
    <Stroke className={classes("mt-0.5", is === "done" && "text-alive")}>
      {is === "missed" && <path d="m5 5 6 6M11 5l-6 6" />}
      {is === "done" && <path d="m4 8.5 3 3 5.5-7" />}
      {is === "now" && (
        <g className="pulse">
          <path d="M8 1c5 2 5 5 0 7s-5 5 0 7M8 1C3 3 3 6 8 8s5 5 0 7" />
        </g>
      )}
    </Stroke>
  );
}
