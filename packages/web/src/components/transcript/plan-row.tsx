import { visibleLine } from "@holdfast/protocol";
import type { PlanStep } from "../../line/parts.ts";
import type { LineTone } from "../../line/rows.ts";
import { Stroke } from "../../ui/glyph.tsx";
import { classes } from "../../ui/tone.ts";
import { LineRow } from "./line-row.tsx";

interface PlanRowProps {
  readonly line: LineTone;
  readonly steps: readonly PlanStep[];
}

const words = { done: "done: ", now: "now: ", later: "later: " } as const;

export function PlanRow({ line, steps }: PlanRowProps) {
  const done = steps.filter(({ state }) => state === "done").length;
  return (
    <LineRow line={line} className="py-1.5">
      <section aria-label="Plan">
        <p className="text-sm text-quiet">
          Plan, {done} of {steps.length} done
        </p>
        <ol>
          {steps.map(({ text, state }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step has only its position.
            <li key={i} className="flex gap-2 text-sm">
              <StepMark state={state} />
              <span className="sr-only">{words[state]}</span>
              <span
                dir="auto"
                className={classes("inert", state === "now" ? "font-medium" : "text-quiet")}
              >
                {visibleLine(text)}
              </span>
            </li>
          ))}
        </ol>
      </section>
    </LineRow>
  );
}

function StepMark({ state }: { readonly state: PlanStep["state"] }) {
  const shape = {
    done: <path d="m4 8.5 3 3 5.5-7" />,
    now: <path d="M5.5 3.5 11 8l-5.5 4.5" />,
    later: <circle cx="8" cy="8" r="2.5" />,
  }[state];
  return (
    <Stroke className={classes("mt-0.5", state === "later" ? "text-quiet" : "text-alive")}>
      {shape}
    </Stroke>
  );
}
