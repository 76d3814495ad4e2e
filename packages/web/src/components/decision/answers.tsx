/** The buttons of a decision: the standard ones, or the agent's own options when they say more. */

import { type OwnOption, reasonWords, visibleLine } from "@holdfast/protocol";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { type Decide, useSessionActions } from "../../session-actions.ts";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/tone.ts";

interface AnswersProps {
  readonly options: readonly OwnOption[];
  /** `partly`: only the beginning is shown. `not`: the request cannot be shown here. */
  readonly isShown: "whole" | "partly" | "not";
  /** True when the agent states exactly what would run, so that a rule could match it. */
  readonly canBeRule: boolean;
  readonly onDecide: Decide;
  readonly onReason: () => void;
}

export function Answers({ options, isShown, canBeRule, onDecide, onReason }: AnswersProps) {
  if (options.length > 0)
    return <OwnAnswers options={options} onDecide={onDecide} onReason={onReason} />;
  const isHidden = isShown !== "whole";
  const hasRule = !isHidden && canBeRule;
  return (
    <div className={rows}>
      <Button
        look="danger"
        className={isHidden ? "h-12 wide:h-9" : "h-12 wide:order-3 wide:h-9"}
        hint="N"
        onClick={() => onDecide("deny")}
      >
        Deny
      </Button>
      <Button
        look={isHidden ? "plain" : "main"}
        className={isHidden ? "h-12 wide:order-3 wide:h-9" : "h-12 wide:order-1 wide:h-9"}
        {...(isHidden ? {} : { hint: "Y" })}
        onClick={() => onDecide("allow")}
      >
        {isShown === "not" ? "Allow without seeing it" : "Allow once"}
      </Button>
      <Button
        look="quiet"
        className={classes("px-0 text-sm wide:order-4 wide:px-3", !hasRule && "col-span-2")}
        hint="R"
        onClick={onReason}
      >
        Deny with a reason
      </Button>
      {hasRule && (
        <Button
          look="quiet"
          className="px-0 text-sm wide:order-2 wide:px-3"
          hint="A"
          onClick={() => onDecide("allow_always")}
        >
          Always, this session
        </Button>
      )}
    </div>
  );
}

/** Places Deny and Allow side by side, one under each thumb. */
const rows = "grid grid-cols-2 gap-2 short:gap-1 sideways:grid-cols-4 wide:flex wide:flex-wrap";

type OwnAnswersProps = Pick<AnswersProps, "options" | "onDecide" | "onReason">;

function OwnAnswers({ options, onDecide, onReason }: OwnAnswersProps) {
  const yes = options.filter(({ decision }) => decision === "allow");
  const main = yes.find(({ isOnce }) => isOnce) ?? yes[0];
  return (
    <div className="grid gap-2 short:flex short:flex-wrap short:gap-1 short:*:flex-auto wide:flex wide:flex-wrap">
      {options.map(({ id, name, decision }) => (
        <Button
          key={id}
          look={decision === "deny" ? "danger" : id === main?.id ? "main" : "plain"}
          className="h-auto min-h-11 max-w-full py-2 text-left whitespace-normal! wide:min-h-9 wide:py-1"
          onClick={() => onDecide(decision, undefined, id)}
        >
          <span className="inert">{visibleLine(name)}</span>
        </Button>
      ))}
      <Button look="quiet" className="text-sm" hint="R" onClick={onReason}>
        Deny with a reason
      </Button>
    </div>
  );
}

const asked = `Why not? (${reasonWords})`;

interface DenyFormProps {
  readonly onDeny: (reason: string) => void;
  readonly onBack: () => void;
}

export function DenyForm({ onDeny, onBack }: DenyFormProps) {
  const { keepReason } = useSessionActions();
  const [reason, setReason] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
  }, []);
  const leave = () => {
    keepReason("");
    onBack();
  };
  const deny = (event: FormEvent) => {
    event.preventDefault();
    onDeny(reason.trim());
  };
  return (
    <form className="grid gap-2 short:gap-1" onSubmit={deny}>
      <label className="grid gap-1 text-sm">
        <span className="short:sr-only">{asked}</span>
        <input
          ref={field}
          value={reason}
          maxLength={4096}
          placeholder={asked}
          className="h-11 rounded border border-edge bg-paper px-3 text-base wide:h-9"
          onChange={({ target: { value } }) => {
            setReason(value);
            keepReason(value.trim());
          }}
        />
      </label>
      <div className="grid grid-cols-2 gap-2 wide:flex wide:flex-wrap">
        <Button onClick={leave}>Back</Button>
        <Button look="danger" type="submit" disabled={reason.trim() === ""}>
          Deny
        </Button>
      </div>
    </form>
  );
}
