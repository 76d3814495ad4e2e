/**
 * A decision, in the composer's place: what would run, where, and why it is asked. The exact input is
 * shown whole, because that and nothing else is what an answer is bound to.
 */

import type { ApprovalDecision, ApprovalView } from "@holdfast/protocol";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { visible, visibleLine } from "../text/inert.ts";
import { exactInput, toolWords } from "../words/tool.ts";
import { Button } from "./button.tsx";
import { Glyph } from "./glyph.tsx";
import { Scrolling } from "./scrolling.tsx";
import { Time } from "./time.tsx";
import { useKeys } from "./use-keys.ts";

export interface Decision {
  readonly approval: ApprovalView;
  /** The agent's folder and branch. */
  readonly where: string;
  /** What the agent said before it asked; empty when it said nothing. */
  readonly why: string;
  readonly askedAt: string | null;
  /** What was approved earlier is not what would run now. */
  readonly isChanged: boolean;
  readonly place: { readonly n: number; readonly of: number };
}

interface DecisionTrayProps {
  readonly decision: Decision;
  readonly now: number;
  readonly hasDraft: boolean;
  readonly onDecide: (decision: ApprovalDecision, reason?: string) => void;
}

/** A tray that slides in under a thumb must not be answered by it. */
const SETTLE_MS = 350;

export function DecisionTray({ decision, now, hasDraft, onDecide }: DecisionTrayProps) {
  const { approval } = decision;
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
  useKeys(keys, { isDeliberate: true });
  return (
    <section
      ref={tray}
      tabIndex={-1}
      aria-label="Decision needed"
      className="slide-up border-t-2 outline-none border-needs-line bg-needs-wash pb-[env(safe-area-inset-bottom)]"
    >
      <div className="grid gap-3 px-4 pt-3 pb-4 wide:max-w-[calc(72ch+76px)] wide:pr-6 wide:pl-13">
        <Question decision={decision} now={now} />
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
        {isDenying ? (
          <DenyForm onDeny={(reason) => decide("deny", reason)} onBack={() => setDenying(false)} />
        ) : (
          <Answers onDecide={decide} onReason={() => setDenying(true)} />
        )}
        {hasDraft && <p className="text-xs text-quiet">Your draft is kept.</p>}
      </div>
    </section>
  );
}

function Question({ decision, now }: Pick<DecisionTrayProps, "decision" | "now">) {
  const { approval, where, why, askedAt, isChanged, place } = decision;
  return (
    <div>
      <p className="flex items-center gap-2 text-sm font-semibold text-needs">
        <Glyph glyph="needs" tone="needs" />
        Needs you
        {place.of > 1 && <span className="font-normal">{`${place.n} of ${place.of}`}</span>}
        {askedAt !== null && (
          <Time at={askedAt} now={now} className="ml-auto text-xs font-normal text-quiet" />
        )}
      </p>
      <h2 className="inert mt-1 line-clamp-3 text-lg font-semibold">
        {visibleLine(toolWords(approval.toolName, approval.toolInput))}
      </h2>
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
    <div className="grid grid-cols-2 gap-2 wide:flex">
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
      <div className="grid grid-cols-2 gap-2 wide:flex">
        <Button onClick={onBack}>Back</Button>
        <Button look="danger" type="submit" disabled={reason.trim() === ""}>
          Deny
        </Button>
      </div>
    </form>
  );
}

/** Each question takes the focus once: a screen reader begins to read it. */
function useFocused(question: string) {
  const tray = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question is another focus.
  useEffect(() => tray.current?.focus({ preventScroll: true }), [question]);
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
