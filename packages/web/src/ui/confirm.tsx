/** Asks for confirmation before an action that cannot be undone, and says what will happen. */

import { visible } from "@holdfast/protocol";
import { Button } from "./button.tsx";
import { Sheet } from "./dialog.tsx";

interface ConfirmProps {
  readonly title: string;
  /** The effect of the action, and what is kept. */
  readonly about: string;
  readonly verb: string;
  /** The verb shown while the action is in progress. */
  readonly doing: string;
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function Confirm(props: ConfirmProps) {
  const { title, about, verb, doing, isBusy, problem, onConfirm, onClose } = props;
  return (
    <Sheet title={title} about={about} onClose={onClose}>
      {problem !== null && (
        <p role="alert" className="inert mb-3 text-sm text-lost">
          {visible(problem)}
        </p>
      )}
      <div className="flex justify-end gap-2 *:flex-1 wide:*:flex-none">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" disabled={isBusy} onClick={onConfirm}>
          {isBusy ? doing : verb}
        </Button>
      </div>
    </Sheet>
  );
}
