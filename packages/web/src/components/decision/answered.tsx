/** Replaces the tray when a question was answered on another device, and names the answer. */

import { type ApprovalView, authorWords, isStop, visibleLine } from "@holdfast/protocol";
import { useSessionActions } from "../../session-actions.ts";
import { Button } from "../../ui/button.tsx";
import { toneText } from "../../ui/tone.ts";
import { decided } from "../../words/story.ts";
import { UnsentText } from "../composer/unsent-text.tsx";

export interface AnsweredShown {
  readonly approval: ApprovalView;
  readonly title: string;
  /** The reason that was being typed here; empty without one. */
  readonly unsent: string;
}

export function Answered({ approval, title, unsent }: AnsweredShown) {
  const { dismissAnswered } = useSessionActions();
  const { decision, by, reason } = approval;
  const isClosed = decision === null || isStop(reason);
  const mark = isClosed ? null : decided[decision];
  return (
    <div className="border-t border-hair py-2 pr-2 pl-4 text-sm wide:pr-4 wide:pl-13" role="status">
      <div className="flex items-center gap-3">
        <p className="min-w-0 flex-1">
          <strong className={mark === null ? "font-medium" : `font-medium ${toneText[mark.tone]}`}>
            {mark?.word ?? "No longer asked"}
          </strong>
          {mark !== null && <span className="inert"> by {visibleLine(authorWords(by))}</span>}
          <span className="inert text-quiet"> · {visibleLine(title)}</span>
          {reason !== null && !isClosed && (
            <span className="inert block text-quiet">“{visibleLine(reason)}”</span>
          )}
        </p>
        <Button look="quiet" onClick={dismissAnswered}>
          Close
        </Button>
      </div>
      {unsent !== "" && <UnsentText text={unsent} onPlaced={dismissAnswered} />}
    </div>
  );
}
