/** Messages, answers and stops that stay until the host confirms or the person dismisses them. */

import type { OutboxItem } from "@holdfast/client";
import { refusalWords, visible, visibleLine } from "@holdfast/protocol";
import { useSessionActions } from "../../session-actions.ts";
import { Button } from "../../ui/button.tsx";
import { type Keeping, keepingOf, keptWords, letGoWords } from "../../words/keeping.ts";
import { answers } from "../../words/story.ts";
import { LineRow } from "../transcript/line-row.tsx";

export function OutboxList({ items }: { readonly items: readonly OutboxItem[] }) {
  return items.map((item) => {
    const keeping = keepingOf(item);
    return (
      <LineRow
        key={item.n}
        line="asleep"
        shape="prompt"
        tone={keeping === "refused" ? "lost" : "asleep"}
        knotY="24px"
        className="py-3"
      >
        <p className="inert whitespace-pre-wrap">{visible(wordsOf(item))}</p>
        {keeping === "refused" ? <Refused item={item} /> : <Kept n={item.n} keeping={keeping} />}
      </LineRow>
    );
  });
}

interface KeptProps {
  readonly n: number;
  readonly keeping: Exclude<Keeping, "refused">;
}

function Kept({ n, keeping }: KeptProps) {
  const { dismissItem } = useSessionActions();
  const word = letGoWords[keeping];
  return (
    <div className="flex flex-wrap items-center gap-x-3 text-sm">
      <p className="text-asleep">{keptWords[keeping]}</p>
      {word !== undefined && (
        <Button look="quiet" className="px-0! text-sm" onClick={() => dismissItem(n)}>
          {word}
        </Button>
      )}
    </div>
  );
}

function Refused({ item: { n, action, refusal } }: { readonly item: OutboxItem }) {
  const { dismissItem, editItem, retryItem } = useSessionActions();
  const why = refusal === null ? "" : refusalWords(refusal);
  return (
    <div className="mt-1 grid gap-2 text-sm">
      <p>
        <strong className="font-medium text-lost">Refused</strong>: {visibleLine(why)}
      </p>
      <div className="flex flex-wrap gap-2">
        {action.type === "message" && (
          <Button onClick={() => editItem(n, action.content)}>Edit</Button>
        )}
        <Button onClick={() => retryItem(n)}>Send again</Button>
        <Button look="quiet" onClick={() => dismissItem(n)}>
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
