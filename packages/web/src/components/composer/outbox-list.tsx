/**
 * The outbox: messages, answers and stops that the host has not confirmed, or has refused. Each stays
 * until it is confirmed or dismissed.
 */

import type { OutboxItem } from "@holdfast/client";
import { refusalWords, visible, visibleLine } from "@holdfast/protocol";
import { type Keeping, keepingOf, keptWords, letGoWords } from "../../words/keeping.ts";
import { answers } from "../../words/story.ts";
import { LineRow } from "../transcript/line-row.tsx";
import { Button } from "../ui/button.tsx";

interface OutboxListProps {
  readonly items: readonly OutboxItem[];
  readonly onRetry: (n: number) => void;
  readonly onEdit: (n: number, text: string) => void;
  readonly onLetGo: (n: number) => void;
}

export function OutboxList({ items, onRetry, onEdit, onLetGo }: OutboxListProps) {
  return items.map((item) => {
    const keeping = keepingOf(item);
    const doings = { onRetry: () => onRetry(item.n), onLetGo: () => onLetGo(item.n) };
    return (
      <LineRow
        key={item.n}
        line="asleep"
        knot={{ shape: "prompt", tone: keeping === "refused" ? "lost" : "asleep" }}
        knotY="24px"
        className="py-3"
      >
        <p className="inert whitespace-pre-wrap">{visible(wordsOf(item))}</p>
        {keeping === "refused" ? (
          <Refused
            why={item.refusal === null ? "" : refusalWords(item.refusal)}
            message={item.action.type === "message" ? item.action.content : null}
            onEdit={(text) => onEdit(item.n, text)}
            {...doings}
          />
        ) : (
          <Kept keeping={keeping} {...doings} />
        )}
      </LineRow>
    );
  });
}

interface KeptProps {
  readonly keeping: Exclude<Keeping, "refused">;
  readonly onLetGo: () => void;
}

function Kept({ keeping, onLetGo }: KeptProps) {
  const word = letGoWords[keeping];
  return (
    <div className="flex flex-wrap items-center gap-x-3 text-sm">
      <p className="text-asleep">{keptWords[keeping]}</p>
      {word !== undefined && (
        <Button look="quiet" className="px-0! text-sm" onClick={onLetGo}>
          {word}
        </Button>
      )}
    </div>
  );
}

interface RefusedProps {
  readonly why: string;
  /** The refused message, which can be edited; null for an answer or a stop. */
  readonly message: string | null;
  readonly onRetry: () => void;
  readonly onEdit: (message: string) => void;
  readonly onLetGo: () => void;
}

function Refused({ why, message, onRetry, onEdit, onLetGo }: RefusedProps) {
  return (
    <div className="mt-1 grid gap-2 text-sm">
      <p>
        <strong className="font-medium text-lost">Not taken</strong>: {visibleLine(why)}
      </p>
      <div className="flex flex-wrap gap-2">
        {message !== null && <Button onClick={() => onEdit(message)}>Edit</Button>}
        <Button onClick={onRetry}>Send again</Button>
        <Button look="quiet" onClick={onLetGo}>
          {letGoWords.refused}
        </Button>
      </div>
    </div>
  );
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
