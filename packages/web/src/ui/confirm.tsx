/** Asks for confirmation before an action that cannot be undone, and says what will happen. */

import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";
import { Sheet } from "./dialog.tsx";

interface ConfirmProps {
  readonly title: string;
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
      <Alert words={problem} className="mb-3" />
      <div className="flex justify-end gap-2 *:flex-1 wide:*:flex-none">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" disabled={isBusy} onClick={onConfirm}>
          {isBusy ? doing : verb}
        </Button>
      </div>
    </Sheet>
  );
}
