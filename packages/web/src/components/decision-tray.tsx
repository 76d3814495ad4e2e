/**
 * A decision, in the composer's place: what would run, where, and why it is asked. The exact input is
 * shown whole, because that and nothing else is what an answer is bound to.
 */

import type { ApprovalDecision, ApprovalView } from "@holdfast/protocol";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { visible, visibleLine } from "../text/inert.ts";
import { givenWords, letGoWords } from "../words/keeping.ts";
import { answers } from "../words/story.ts";
import { exactInput } from "../words/tool.ts";
import { Button } from "./button.tsx";
import type { Stop } from "./composer.tsx";
import { Glyph } from "./glyph.tsx";
import { Scrolling } from "./scrolling.tsx";
import { StopButton } from "./stop-button.tsx";
import { Time } from "./time.tsx";
import { classes } from "./tone.ts";
import { isTyping, useKeys } from "./use-keys.ts";

/** An answer of this device that the host does not have yet, or has only just got. */
export interface Given {
  readonly decision: ApprovalDecision;
  readonly reason: string | null;
  /** Its place in the outbox; null when it left that. */
  readonly n: number | null;
  readonly state: "waiting" | "unsure" | "sending" | "sent";
}

export interface Decision {
  readonly approval: ApprovalView;
  /** What is asked for, in one line. */
  readonly title: string;
  /** The agent's folder and branch. */
  readonly where: string;
  /** What the agent said before it asked; empty when it said nothing. */
  readonly why: string;
  readonly askedAt: string | null;
  /** What was approved earlier is not what would run now. */
  readonly isChanged: boolean;
  readonly place: { readonly n: number; readonly of: number };
  readonly given: Given | null;
}

interface DecisionTrayProps {
  readonly decision: Decision;
  readonly now: number;
  readonly hasDraft: boolean;
  readonly stop: Stop;
  readonly onDecide: (decision: ApprovalDecision, reason?: string) => void;
  readonly onLetGo: (n: number) => void;
  readonly onStop: () => void;
}

/** A tray that slides in under a thumb must not be answered by it. */
const SETTLE_MS = 350;

export function DecisionTray(props: DecisionTrayProps) {
  const { decision, hasDraft, onDecide, onLetGo } = props;
  const { approval, given } = decision;
  const [isDenying, setDenying] = useState(false);
  const isSettled = useSettled(approval.id);
  const decide = (answer: ApprovalDecision, reason?: string) => {
    if (isSettled()) onDecide(answer, reason);
  };
  const tray = useFocused(approval.id);
  const keys = {
    y: () => decide("allow"),
    a: () => decide("allow_always"),
    n: () => decide("deny"),
    r: () => setDenying(true),
  };
  useKeys(given === null ? keys : {}, { isDeliberate: true });
  return (
    <section
      ref={tray}
      tabIndex={-1}
      aria-label={given === null ? "Decision needed" : "Your answer"}
      className={classes(
        "slide-up border-t-2 pb-[env(safe-area-inset-bottom)] outline-none",
        given === null ? "border-needs-line bg-needs-wash" : "border-hair",
      )}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 pt-2 pb-4 wide:max-w-[calc(72ch+76px)] wide:pr-6 wide:pl-13">
        <Question {...props} />
        <div>
          <p className="mb-1 text-xs text-quiet">Exactly this would run:</p>
          <Scrolling
            label="What would run"
            className="max-h-[30dvh] rounded border border-hair bg-paper"
          >
            <pre className="code inert px-3 py-2 whitespace-pre-wrap">
              {visible(exactInput(approval.toolInput))}
            </pre>
          </Scrolling>
        </div>
        {given !== null && <Answer given={given} onLetGo={onLetGo} />}
        {given === null && isDenying && (
          <DenyForm onDeny={(reason) => decide("deny", reason)} onBack={() => setDenying(false)} />
        )}
        {given === null && !isDenying && (
          <Answers onDecide={decide} onReason={() => setDenying(true)} />
        )}
        {hasDraft && <p className="text-xs text-quiet">Your draft is kept.</p>}
      </div>
    </section>
  );
}

interface AnswerProps {
  readonly given: Given;
  readonly onLetGo: (n: number) => void;
}

function Answer({ given, onLetGo }: AnswerProps) {
  const { decision, reason, n, state } = given;
  const word = letGoWords[state];
  return (
    <div className="flex min-h-11 items-center gap-3 text-sm wide:min-h-9" role="status">
      <p className="min-w-0 flex-1">
        <strong className="font-medium">{answers[decision]}</strong>
        <span className="text-asleep"> — {givenWords[state]}</span>
        {reason !== null && <span className="inert block text-quiet">“{visibleLine(reason)}”</span>}
      </p>
      {word !== undefined && n !== null && <Button onClick={() => onLetGo(n)}>{word}</Button>}
    </div>
  );
}

type QuestionProps = Pick<DecisionTrayProps, "decision" | "now" | "stop" | "onStop">;

function Question({ decision, now, stop, onStop }: QuestionProps) {
  const { title, where, why, askedAt, isChanged, place, given } = decision;
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
        {askedAt !== null && <Time at={askedAt} now={now} className="text-xs text-quiet" />}
        <StopButton stop={stop} className="wide:h-8" onStop={onStop} />
      </div>
      <h2 className="inert mt-1 line-clamp-3 text-lg font-semibold">{visibleLine(title)}</h2>
      <p className="inert text-sm text-quiet">{visibleLine(where)}</p>
      {why !== "" && <p className="inert mt-2 line-clamp-3 text-sm">“{visible(why)}”</p>}
      {isChanged && (
        <p className="mt-2 text-sm font-medium text-needs">This is not what was approved before.</p>
      )}
    </div>
  );
}

interface AnswersProps {
  readonly onDecide: (decision: ApprovalDecision) => void;
  readonly onReason: () => void;
}

/** The two that matter lie under two thumbs. */
function Answers({ onDecide, onReason }: AnswersProps) {
  return (
    <div className="grid grid-cols-2 gap-2 wide:flex wide:flex-wrap">
      <Button
        look="danger"
        className="h-12 wide:order-3 wide:h-9"
        hint="N"
        onClick={() => onDecide("deny")}
      >
        Deny
      </Button>
      <Button
        look="main"
        className="h-12 wide:order-1 wide:h-9"
        hint="Y"
        onClick={() => onDecide("allow")}
      >
        Allow once
      </Button>
      <Button
        look="quiet"
        className="px-0 text-sm wide:order-4 wide:px-3"
        hint="R"
        onClick={onReason}
      >
        Deny, saying why
      </Button>
      <Button
        look="quiet"
        className="px-0 text-sm wide:order-2 wide:px-3"
        hint="A"
        onClick={() => onDecide("allow_always")}
      >
        Always, this session
      </Button>
    </div>
  );
}

interface DenyFormProps {
  readonly onDeny: (reason: string) => void;
  readonly onBack: () => void;
}

function DenyForm({ onDeny, onBack }: DenyFormProps) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const deny = (event: FormEvent) => {
    event.preventDefault();
    onDeny(reason.trim());
  };
  return (
    <form className="grid gap-2" onSubmit={deny}>
      <label className="grid gap-1 text-sm">
        Why not? The agent is told.
        <input
          ref={field}
          value={reason}
          maxLength={4096}
          className="h-11 rounded border border-edge bg-paper px-3 text-base wide:h-9"
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <div className="grid grid-cols-2 gap-2 wide:flex wide:flex-wrap">
        <Button onClick={onBack}>Back</Button>
        <Button look="danger" type="submit" disabled={reason.trim() === ""}>
          Deny
        </Button>
      </div>
    </form>
  );
}

/** Each question takes the focus once, and from nobody who is writing: a screen reader begins to read it. */
function useFocused(question: string) {
  const tray = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question is another focus.
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
