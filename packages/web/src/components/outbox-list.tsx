/** What its person did and the host does not have yet, or said no to. It is never dropped silently. */

import type { OutboxItem } from "@holdfast/client";
import { visible, visibleLine } from "../text/inert.ts";
import { plainly } from "../words/problem.ts";
import { answers } from "../words/story.ts";
import { Button } from "./button.tsx";
import { LineRow } from "./line-row.tsx";

interface OutboxListProps {
  readonly items: readonly OutboxItem[];
  readonly onRetry: (n: number) => void;
  readonly onDismiss: (n: number) => void;
}

export function OutboxList({ items, onRetry, onDismiss }: OutboxListProps) {
  return items.map((item) => (
    <LineRow
      key={item.n}
      line="asleep"
      knot={{ shape: "prompt", tone: item.state === "refused" ? "lost" : "asleep" }}
      knotY="24px"
      className="py-3"
    >
      <p className="inert whitespace-pre-wrap">{visible(wordsOf(item))}</p>
      {item.refusal === null ? (
        <div className="flex flex-wrap items-center gap-x-3 text-sm">
          <p className="text-asleep">
            {item.state === "sending"
              ? "Sending …"
              : "Kept on this device; it is sent when the host is back."}
          </p>
          {item.state === "waiting" && (
            <Button look="quiet" className="-ml-4 wide:-ml-3" onClick={() => onDismiss(item.n)}>
              Take back
            </Button>
          )}
        </div>
      ) : (
        <div className="mt-1 grid gap-2 text-sm">
          <p>
            <strong className="font-medium text-lost">Not taken</strong>:{" "}
            {visibleLine(plainly(item.refusal.message))}
          </p>
          <div className="flex gap-2">
            <Button onClick={() => onRetry(item.n)}>Send again</Button>
            <Button look="quiet" onClick={() => onDismiss(item.n)}>
              Let it go
            </Button>
          </div>
        </div>
      )}
    </LineRow>
  ));
}

function wordsOf({ action }: OutboxItem): string {
  switch (action.type) {
    case "message":
      return action.content;
    case "approval":
      return `${answers[action.decision]}${action.reason === undefined ? "" : `: ${action.reason}`}`;
    case "cancel":
      return "Stop the run";
  }
}
