import { visibleLine } from "@holdfast/protocol";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { fieldLook } from "../../ui/field.tsx";

interface RenameProps {
  readonly title: string;
  readonly isBusy: boolean;
  readonly onRename: (title: string) => void;
}

export function Rename({ title, isBusy, onRename }: RenameProps) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null) {
    return (
      <div className="mb-3 flex items-center gap-2">
        <p className="inert min-w-0 flex-1 font-medium">{visibleLine(title) || "Untitled"}</p>
        <Button onClick={() => setDraft(title)}>Rename</Button>
      </div>
    );
  }
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (draft.trim() !== title) onRename(draft.trim());
    setDraft(null);
  };
  return (
    <form className="mb-3 grid gap-2" onSubmit={save}>
      <input
        aria-label="Name of this session"
        value={draft}
        maxLength={500}
        className={fieldLook}
        onChange={(event) => setDraft(event.target.value)}
      />
      <div className="flex gap-2">
        <Button look="main" type="submit" disabled={isBusy || draft.trim() === ""}>
          Save
        </Button>
        <Button onClick={() => setDraft(null)}>Cancel</Button>
      </div>
    </form>
  );
}
