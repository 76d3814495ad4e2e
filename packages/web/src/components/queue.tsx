/** Messages that wait for their turn. They can still be changed, or taken back. */

import type { QueuedView } from "@holdfast/protocol";
import { Pencil, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { visible } from "../text/inert.ts";
import { count } from "../words/measures.ts";
import { Button, IconButton } from "./button.tsx";

interface QueueProps {
  readonly queue: readonly QueuedView[];
  /** A run goes on: they follow by themselves. Otherwise they wait to be let go on. */
  readonly isGoing: boolean;
  readonly onEdit: (id: string, content: string) => void;
  readonly onRemove: (id: string) => void;
  readonly onRelease: () => void;
}

export function Queue({ queue, isGoing, onEdit, onRemove, onRelease }: QueueProps) {
  if (queue.length === 0) return null;
  return (
    <section
      aria-label="Waiting messages"
      className="border-t border-hair px-4 pt-2 pb-1 wide:pr-6 wide:pl-13"
    >
      <div className="flex items-center justify-between text-xs text-quiet">
        <p>
          {count(queue.length, "message")} {queue.length === 1 ? "waits" : "wait"}
          {isGoing ? " for the run to end" : ", nothing runs"}
        </p>
        {!isGoing && <Button onClick={onRelease}>Let go on</Button>}
      </div>
      <ol>
        {queue.map((queued) => (
          <Waiting key={queued.id} queued={queued} onEdit={onEdit} onRemove={onRemove} />
        ))}
      </ol>
    </section>
  );
}

type WaitingProps = { readonly queued: QueuedView } & Pick<QueueProps, "onEdit" | "onRemove">;

function Waiting({ queued, onEdit, onRemove }: WaitingProps) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null) {
    return (
      <li className="flex items-center gap-1 border-t border-hair first:border-t-0">
        <p className="inert line-clamp-2 min-w-0 flex-1 py-1.5 text-sm">
          {visible(queued.content)}
        </p>
        {/* Of one too long for an event only the beginning is here: editing that would cut it off. */}
        {queued.blob === null && (
          <IconButton label="Change this message" onClick={() => setDraft(queued.content)}>
            <Pencil />
          </IconButton>
        )}
        <IconButton label="Take this message back" onClick={() => onRemove(queued.id)}>
          <X />
        </IconButton>
      </li>
    );
  }
  const save = (event: FormEvent) => {
    event.preventDefault();
    onEdit(queued.id, draft);
    setDraft(null);
  };
  return (
    <li className="border-t border-hair py-2 first:border-t-0">
      <form className="grid gap-2" onSubmit={save}>
        <textarea
          aria-label="Waiting message"
          value={draft}
          rows={3}
          className="w-full rounded border border-edge bg-paper px-3 py-2 text-base wide:text-sm"
          onChange={(event) => setDraft(event.target.value)}
        />
        <div className="flex gap-2">
          <Button look="main" type="submit" disabled={draft.trim() === ""}>
            Save
          </Button>
          <Button onClick={() => setDraft(null)}>Leave as it was</Button>
        </div>
      </form>
    </li>
  );
}
