/** A run's outcome. It also says that the run's output is kept, when a person may doubt that. */

import { duration, interruptionWords, visible } from "@holdfast/protocol";
import type { ReactNode } from "react";
import type { EndBody, RowEdge } from "../../line/rows.ts";
import { useSessionActions } from "../../session-actions.ts";
import { Button } from "../../ui/button.tsx";
import { exactly } from "../../ui/time.tsx";
import { roughly } from "../../words/measures.ts";
import { LineRow } from "./line-row.tsx";

interface EndRowProps extends EndBody {
  readonly edge?: RowEdge | undefined;
}

export function EndRow(props: EndRowProps) {
  switch (props.message.status) {
    case "error":
      return <Failed {...props} />;
    case "cancelled":
      return (
        <Ended edge={props.edge} tone="quiet">
          <strong className="font-medium text-ink">Cancelled</strong>
          <Usage {...props} /> · what was said is kept
        </Ended>
      );
    case "interrupted":
      return <Interrupted {...props} />;
    default:
      return (
        <Ended edge={props.edge} tone="alive">
          Done
          <Usage {...props} />
        </Ended>
      );
  }
}

interface EndedProps {
  readonly edge: RowEdge | undefined;
  readonly tone: "quiet" | "alive";
  readonly children: ReactNode;
}

function Ended({ edge, tone, children }: EndedProps) {
  return (
    <LineRow edge={edge} shape="end" tone={tone} knotY="16px" className="py-1.5">
      <p className="text-sm text-quiet">{children}</p>
    </LineRow>
  );
}

function Interrupted({ message, canGoOn, isDismissed, edge }: EndRowProps) {
  const { continueRun, retryRun } = useSessionActions();
  const { reason = "", agentEnd } = message.interruption ?? {};
  const why = interruptionWords(reason, agentEnd);
  return (
    <LineRow edge={edge} shape="cut" tone="needs" knotY="16px" className="py-1.5">
      <p className="text-sm">
        <strong className="font-medium text-needs">Interrupted</strong>
        {why !== "" && <span className="text-quiet">: {why}</span>}
      </p>
      {canGoOn && isDismissed && (
        <div className="-ml-4 flex flex-wrap wide:-ml-3">
          <Button look="quiet" onClick={continueRun}>
            Continue
          </Button>
          <Button look="quiet" onClick={() => retryRun("start")}>
            Retry from the start
          </Button>
        </div>
      )}
    </LineRow>
  );
}

function Failed({ message, canGoOn, isDismissed, edge }: EndRowProps) {
  const { dismissRun, retryRun } = useSessionActions();
  const hasTools = message.contentParts.some((part) => part.type === "tool");
  const hasWords = message.contentParts.length > 0;
  return (
    <LineRow edge={edge} shape="end" tone="lost" knotY="20px" className="py-2">
      <section aria-label="The run failed">
        <p>
          <strong className="font-semibold text-lost">Failed</strong>
          <span className="inert">: {visible(message.errorMessage ?? "no reason was given")}</span>
        </p>
        <p className="mt-1 text-sm text-quiet">
          {hasWords ? "Everything up to the error is kept. " : ""}
          {!canGoOn
            ? ""
            : hasTools
              ? "Tools have already run: a retry may repeat what they did."
              : "No tool has run yet: a retry repeats nothing."}
        </p>
        {canGoOn && (
          <div className="mt-3 flex flex-wrap gap-2">
            <Button look={hasTools ? "plain" : "main"} onClick={() => retryRun("start")}>
              Retry
            </Button>
            <Button look={hasTools ? "main" : "plain"} onClick={() => retryRun("error")}>
              Continue from here
            </Button>
            {!isDismissed && (
              <Button look="quiet" onClick={dismissRun}>
                Dismiss
              </Button>
            )}
          </div>
        )}
      </section>
    </LineRow>
  );
}

/** Messages folded by an earlier host have no figures of their own. */
function Usage({ message, run }: Pick<EndRowProps, "message" | "run">) {
  const { createdAt, endedAt = run?.completedAt ?? null } = message;
  const { inputTokens = run?.inputTokens ?? 0, outputTokens = run?.outputTokens ?? 0 } = message;
  const took = endedAt === null ? null : Date.parse(endedAt) - Date.parse(createdAt);
  return (
    <span {...(endedAt === null ? {} : exactly(endedAt))}>
      {took !== null && ` · ${duration(took)}`}
      {inputTokens + outputTokens > 0 &&
        ` · ${roughly(inputTokens)} tokens in, ${roughly(outputTokens)} out`}
    </span>
  );
}
