import { type QueuedView, visible } from "@holdfast/protocol";
import { Pencil, X } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useCallback, useEffect, useState } from "react";
import { useSessionActions } from "../../session-actions.ts";
import {
  begun,
  dropped,
  type Edit,
  type EditStorage,
  type LeftQueue,
  leftOf,
  noEdits,
  put,
  settled,
} from "../../settings/queue-edits.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { classes } from "../../ui/tone.ts";
import { lateEditWords, queueWords, type WhyLeft } from "../../words/queue.ts";
import { UnsentText } from "./unsent-text.tsx";

interface QueueProps {
  readonly queue: readonly QueuedView[];
  /** True while a run is in progress, which sends them in turn; else they wait for a person. */
  readonly isGoing: boolean;
  /** True when the approval tray is shown: then the messages are listed only on demand. */
  readonly isAside: boolean;
  /** The text in the message box, into which a late edit can be moved. */
  readonly draft: string;
  readonly whyLeft: (id: string) => LeftQueue;
  readonly storage: EditStorage | null;
}

export function Queue({ queue, isGoing, isAside, draft, whyLeft, storage }: QueueProps) {
  const { addToDraft, editQueued, releaseQueue } = useSessionActions();
  const [edits, setEdits] = useState(() => storage?.read() ?? noEdits);
  const open = settled(edits, { queue, whyLeft, draft });
  const left = leftOf(open, queue);
  useEffect(() => {
    setEdits(open);
    storage?.write(open);
  }, [open, storage]);
  const markPlaced = (id: string, edit: Edit) =>
    setEdits((now) => put(now, id, { ...edit, state: "placed" }));
  const [late] = left.filter(([, { state }]) => state !== "placed");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each late edit is moved once.
  useEffect(() => {
    if (late === undefined || draft !== "") return;
    addToDraft(late[1].text);
    markPlaced(...late);
  }, [late?.[0]]);
  const [isOpened, setOpened] = useState(false);
  const isFolded = isAside && !isOpened;
  const shown = isFolded ? queue.filter(({ id }) => edits.get(id)?.state === "open") : queue;
  return (
    <>
      {left.map(([id, edit]) => (
        <Left
          key={id}
          edit={edit}
          whyLeft={whyLeft(id).is}
          onPlaced={() => markPlaced(id, edit)}
          onClose={() => setEdits(dropped(edits, id))}
        />
      ))}
      {queue.length > 0 && (
        <section
          aria-label="Waiting messages"
          className={classes(
            strip,
            "max-h-[30dvh] min-h-0 overflow-y-auto",
            isAside ? "pb-[max(4px,env(safe-area-inset-bottom))]" : "pb-1",
          )}
        >
          <div className="flex items-center justify-between gap-3 text-xs text-quiet">
            <p>{queueWords(queue.length, isGoing)}</p>
            {isAside && (
              <Button look="quiet" aria-expanded={isOpened} onClick={() => setOpened(!isOpened)}>
                {isOpened ? "Hide" : "Show"}
              </Button>
            )}
            {!isGoing && (
              <Button className="shrink-0" onClick={releaseQueue}>
                Send now
              </Button>
            )}
          </div>
          <ol>
            {shown.map((queued) => {
              const edit = edits.get(queued.id);
              return edit?.state === "open" ? (
                <Editing
                  key={queued.id}
                  text={edit.text}
                  onText={(text) => setEdits(put(edits, queued.id, { ...edit, text }))}
                  onSave={() => {
                    setEdits(put(edits, queued.id, { ...edit, state: "saved" }));
                    editQueued(queued.id, edit.text);
                  }}
                  onLeave={() => setEdits(dropped(edits, queued.id))}
                />
              ) : (
                <Waiting
                  key={queued.id}
                  queued={queued}
                  onChange={() => setEdits(begun(edits, queued))}
                />
              );
            })}
          </ol>
        </section>
      )}
    </>
  );
}

const strip = "border-t border-hair px-4 pt-2 wide:pr-6 wide:pl-13 wide:*:max-w-[72ch]";

interface WaitingProps {
  readonly queued: QueuedView;
  readonly onChange: () => void;
}

function Waiting({ queued, onChange }: WaitingProps) {
  const { removeQueued } = useSessionActions();
  return (
    <li className="flex items-center gap-1 border-t border-hair first:border-t-0">
      <div className="min-w-0 flex-1 py-1.5">
        <p className="inert line-clamp-2 text-sm">{visible(queued.content)}</p>
      </div>
      {/* Of a message too long for an event only the beginning is here: an edit would truncate it. */}
      {queued.blob === null && (
        <IconButton label="Change this message" onClick={onChange}>
          <Pencil />
        </IconButton>
      )}
      <IconButton label="Remove this message" onClick={() => removeQueued(queued.id)}>
        <X />
      </IconButton>
    </li>
  );
}

interface EditingProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSave: () => void;
  readonly onLeave: () => void;
}

function Editing({ text, onText, onSave, onLeave }: EditingProps) {
  const atItsEnd = useCallback((field: HTMLTextAreaElement | null) => {
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  const canSave = text.trim() !== "";
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (canSave) onSave();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onLeave();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(event);
  };
  return (
    <li className="border-t border-hair py-2 first:border-t-0">
      <form className="grid gap-2" onSubmit={save}>
        <textarea
          ref={atItsEnd}
          aria-label="Waiting message"
          value={text}
          rows={3}
          className="w-full rounded border border-edge bg-paper px-3 py-2 text-base wide:text-sm"
          onChange={(event) => onText(event.target.value)}
          onKeyDown={onKey}
        />
        <div className="flex gap-2">
          <Button look="main" type="submit" disabled={!canSave}>
            Save
          </Button>
          <Button onClick={onLeave}>Discard changes</Button>
        </div>
      </form>
    </li>
  );
}

interface LeftProps {
  readonly edit: Edit;
  readonly whyLeft: WhyLeft;
  readonly onPlaced: () => void;
  readonly onClose: () => void;
}

/** An edit whose message left the queue before the edit was saved. */
function Left({ edit, whyLeft, onPlaced, onClose }: LeftProps) {
  const isPlaced = edit.state === "placed";
  return (
    <section aria-label="A change made too late" role="status" className={classes(strip, "pb-1")}>
      <div className="flex items-center gap-2 text-sm">
        <p className="min-w-0 flex-1">{lateEditWords(whyLeft, isPlaced)}</p>
        <IconButton label={isPlaced ? "Close" : "Discard your change"} onClick={onClose}>
          <X />
        </IconButton>
      </div>
      {!isPlaced && <UnsentText text={edit.text} onPlaced={onPlaced} />}
    </section>
  );
}
