/** The host's refusal of an action, shown beside the control. It stays until it is dismissed. */

import { visible } from "@holdfast/protocol";
import { Button } from "./button.tsx";

interface ProblemStripProps {
  readonly words: string;
  readonly onClose: () => void;
}

export function ProblemStrip({ words, onClose }: ProblemStripProps) {
  return (
    <div
      role="alert"
      className="flex items-center gap-3 border-t border-hair py-2 pr-2 pl-4 text-sm wide:pr-4 wide:pl-13"
    >
      <p className="inert min-w-0 flex-1">
        <strong className="font-medium text-lost">Failed</strong>: {visible(words)}
      </p>
      <Button look="quiet" onClick={onClose}>
        Close
      </Button>
    </div>
  );
}
