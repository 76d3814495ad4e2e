/**
 * The approval tray, in the composer's place: what would run, where, and why the agent asks. It
 * scrolls inside itself, and its buttons stay visible at every size.
 */

import {
  type ApprovalDecision,
  type ApprovalView,
  exactInput,
  type Json,
  ownOptions,
  type Request,
  visible,
  visibleLine,
} from "@holdfast/protocol";
import { useEffect, useRef, useState } from "react";
import { LazyDiff } from "../../diff/lazy-diff.tsx";
import { type Decide, useSessionActions } from "../../session-actions.ts";
import { Button, TextButton } from "../../ui/button.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { Scrolling } from "../../ui/scrolling.tsx";
import { Time } from "../../ui/time.tsx";
import { classes } from "../../ui/tone.ts";
import { isTyping, useKeys } from "../../ui/use-keys.ts";
import { givenWords, type Keeping, letGoWords } from "../../words/keeping.ts";
import { answers } from "../../words/story.ts";
import type { Stop } from "../composer/composer.tsx";
import { StopButton } from "../composer/stop-button.tsx";
import { Answers, DenyForm } from "./answers.tsx";
import { RequestView } from "./request-view.tsx";

/** This device's answer, until the journal shows it. */
export interface Given {
  readonly decision: ApprovalDecision;
  readonly reason: string | null;
  readonly option: string | null;
  readonly n: number;
  readonly state: Exclude<Keeping, "refused">;
}

export interface Decision {
  readonly approval: ApprovalView;
  readonly title: string;
  readonly where: string;
  /** The agent's last text before the question; empty without one. */
  readonly why: string;
  readonly askedAt: string | null;
  readonly request: Request;
  readonly folder: string | null;
  /** True when the agent has no sandbox and could do it without an answer. */
  readonly isUnconfined: boolean;
  /** An earlier answer that was not used for this question, and why. */
  readonly earlier: Earlier | null;
  /** The effect of an answer when the process that asked is gone. */
  readonly asker: string | null;
  readonly place: { readonly n: number; readonly of: number };
  readonly given: Given | null;
}

export interface Earlier {
  /** The input that was approved then; null when only the reason is known. */
  readonly input: Json | null;
  readonly reason: string;
  /** Files that have changed in the workspace since the earlier answer. */
  readonly files: readonly string[];
}

interface DecisionTrayProps {
  readonly decision: Decision;
  readonly now: number;
  readonly hasDraft: boolean;
  readonly stop: Stop;
}

/** Ignores answers for this time in ms: a tap meant for the page may hit a tray sliding in. */
const SETTLE_MS = 350;

export function DecisionTray(props: DecisionTrayProps) {
  const { decision, hasDraft } = props;
  const actions = useSessionActions();
  const { approval, given, request } = decision;
  const [isDenying, setDenying] = useState(false);
  const [isExact, setExact] = useState(false);
  const isSettled = useSettled(approval.id);
  const decide: Decide = (...answer) => {
    if (isSettled()) actions.decide(...answer);
  };
  const tray = useFocused(approval.id);
  const isShown = request.kind !== "hidden" ? "whole" : request.blob === null ? "not" : "partly";
  const canBeRule = approval.exact !== false;
  const options = ownOptions(approval.options, request.kind);
  const keys = {
    ...(options.length > 0
      ? {}
      : {
          n: () => decide("deny"),
          // The keys allow only a request that is shown whole.
          ...(isShown === "whole" ? { y: () => decide("allow") } : {}),
          ...(isShown === "whole" && canBeRule ? { a: () => decide("allow_always") } : {}),
        }),
    r: () => setDenying(true),
  };
  useKeys(given === null ? keys : {}, { isDeliberate: true });
  return (
    <section
      ref={tray}
      tabIndex={-1}
      aria-label={given === null ? "Decision needed" : "Your answer"}
      className={classes(
        "tray slide-up flex min-h-0 flex-col border-t-2 outline-none",
        given === null ? "border-needs-line bg-needs-wash" : "border-hair",
      )}
    >
      <Scrolling label="What would run" className="min-h-0 overscroll-contain">
        <div className={classes(width, "grid grid-cols-[minmax(0,1fr)] gap-3 pt-2 pb-3")}>
          <Question {...props} isExact={isExact} onExact={setExact} />
          <RequestView
            request={request}
            input={approval.toolInput}
            folder={decision.folder}
            isExact={isExact}
          />
        </div>
      </Scrolling>
      <div className="max-h-[50dvh] shrink-0 overflow-y-auto border-t border-hair">
        <div
          className={classes(
            width,
            "pt-2 pb-[max(12px,env(safe-area-inset-bottom))] short:pt-1 short:pb-[max(4px,env(safe-area-inset-bottom))]",
          )}
        >
          {given !== null && <Answer approval={approval} given={given} />}
          {given === null && isDenying && (
            <DenyForm
              onDeny={(reason) => decide("deny", reason)}
              onBack={() => setDenying(false)}
            />
          )}
          {given === null && !isDenying && (
            <Answers
              options={options}
              isShown={isShown}
              canBeRule={canBeRule}
              onDecide={decide}
              onReason={() => setDenying(true)}
            />
          )}
          {hasDraft && <p className="pt-1 text-xs text-quiet short:hidden">Your draft is kept.</p>}
        </div>
      </div>
    </section>
  );
}

const width = "px-4 wide:w-full wide:max-w-[calc(72ch+76px)] wide:pr-6 wide:pl-13";

function Answer({ approval, given }: { readonly approval: ApprovalView; readonly given: Given }) {
  const { dismissItem } = useSessionActions();
  const { decision, reason, option, n, state } = given;
  const word = letGoWords[state];
  const chosen = approval.options.find(({ id }) => id === option)?.name;
  return (
    <div className="flex min-h-11 items-center gap-3 text-sm wide:min-h-9" role="status">
      <p className="min-w-0 flex-1">
        <strong className="inert font-medium">{visibleLine(chosen ?? answers[decision])}</strong>
        <span className="text-asleep"> — {givenWords[state]}</span>
        {reason !== null && <span className="inert block text-quiet">“{visibleLine(reason)}”</span>}
      </p>
      {word !== undefined && <Button onClick={() => dismissItem(n)}>{word}</Button>}
    </div>
  );
}

type QuestionProps = Pick<DecisionTrayProps, "decision" | "now" | "stop"> & ExactButtonProps;

function Question({ decision, now, stop, isExact, onExact }: QuestionProps) {
  const { title, where, why, askedAt, earlier, place, given, approval, isUnconfined } = decision;
  const { asker } = decision;
  const { kind } = decision.request;
  return (
    <div>
      <div className="flex min-h-11 items-center gap-2 text-sm wide:min-h-9">
        <p
          className={classes(
            "flex min-w-0 flex-1 items-center gap-2 font-semibold",
            given === null ? "text-needs" : "text-quiet",
          )}
        >
          <Glyph glyph="needs" tone={given === null ? "needs" : "quiet"} />
          {given === null ? "Needs you" : "Answered here"}
          {place.of > 1 && <span className="font-normal">{`${place.n} of ${place.of}`}</span>}
        </p>
        {given === null && askedAt !== null && (
          <Time at={askedAt} now={now} className="text-xs text-quiet" />
        )}
        <StopButton stop={stop} className="wide:h-8" />
      </div>
      <div className="mt-1 flex items-start gap-4">
        <h2 className="inert line-clamp-3 min-w-0 flex-1 text-lg font-semibold">
          {visibleLine(title)}
        </h2>
        {kind !== "other" && kind !== "hidden" && (
          <ExactButton isExact={isExact} onExact={onExact} />
        )}
      </div>
      <p className="inert text-sm text-quiet">
        <span className="short:hidden">{visibleLine(where)}. </span>
        {isUnconfined && "Not isolated: the agent could do this without asking."}
        {approval.exact === false && " The agent does not say exactly what would run."}
      </p>
      {why !== "" && <p className="inert mt-2 text-sm">“{visible(why)}”</p>}
      {asker !== null && given === null && (
        <p className="mt-2 text-sm font-medium text-needs">{asker}</p>
      )}
      {earlier !== null && <AskedAgain earlier={earlier} input={approval.toolInput} />}
    </div>
  );
}

interface ExactButtonProps {
  readonly isExact: boolean;
  readonly onExact: (isExact: boolean) => void;
}

/** Stands beside the title, so that it stays visible however long the request is. */
function ExactButton({ isExact, onExact }: ExactButtonProps) {
  return (
    <TextButton
      className="-mt-1 -mb-3 min-h-11 shrink-0 text-sm text-quiet wide:-my-1 wide:min-h-8"
      onClick={() => onExact(!isExact)}
    >
      {isExact ? "Hide exact input" : "Exact input"}
    </TextButton>
  );
}

/** Why an earlier answer was not used, and how this request differs from the one it was for. */
function AskedAgain({ earlier, input }: { readonly earlier: Earlier; readonly input: Json }) {
  const before = earlier.input === null ? null : exactInput(earlier.input);
  const after = exactInput(input);
  return (
    <div className="mt-2">
      <p className="inert text-sm font-medium text-needs">{visible(earlier.reason)}</p>
      {earlier.files.length > 0 && (
        <ul className="font-mono text-xs leading-5">
          {earlier.files.map((file) => (
            <li key={file} className="inert truncate">
              {visibleLine(file)}
            </li>
          ))}
        </ul>
      )}
      {before !== null && before !== after && (
        <div className="mt-1 [&_figure]:bg-paper">
          <LazyDiff
            diff={{ path: "asked before → asked now", before, after, toolCallId: null }}
            isWrapped
          />
        </div>
      )}
    </div>
  );
}

/** Focuses each new question once, for screen readers, unless the person is typing. */
function useFocused(question: string) {
  const tray = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new question takes the focus.
  useEffect(() => {
    if (!isTyping(document.activeElement)) tray.current?.focus({ preventScroll: true });
  }, [question]);
  return tray;
}

function useSettled(question: string) {
  const settled = useRef("");
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.current = question;
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [question]);
  return () => settled.current === question;
}
