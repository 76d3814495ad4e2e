/** A text that was typed for something that is over. It can be copied, or moved to the message box. */

import { visible } from "@holdfast/protocol";
import { useSessionActions } from "../../session-actions.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";

interface UnsentTextProps {
  readonly text: string;
  readonly onPlaced: () => void;
}

export function UnsentText({ text, onPlaced }: UnsentTextProps) {
  const { addToDraft } = useSessionActions();
  const place = () => {
    addToDraft(text);
    onPlaced();
  };
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 pb-1">
      <p className="inert line-clamp-2 min-w-[min(100%,20rem)] flex-1 text-sm text-quiet">
        Not sent: “{visible(text)}”
      </p>
      <CopyButton text={text} label="Copy your text" />
      <Button onClick={place}>Move to the message box</Button>
    </div>
  );
}
