import { visibleLine } from "@holdfast/protocol";
import { type ReactNode, useEffect, useRef } from "react";

interface FieldProps {
  readonly label: string;
  readonly help?: string;
  readonly problem?: string | null;
  readonly children: ReactNode;
}

export function Field({ label, help, problem = null, children }: FieldProps) {
  const alert = useRef<HTMLSpanElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each problem is scrolled to once.
  useEffect(() => {
    alert.current?.scrollIntoView({ block: "nearest" });
  }, [problem]);
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
    <label className="grid gap-1.5">
      <span className="text-sm font-medium">{label}</span>
      {children}
      {problem !== null && (
        <span ref={alert} role="alert" className="inert scroll-my-20 text-sm text-lost">
          {visibleLine(problem)}
        </span>
      )}
      {problem === null && help !== undefined && <span className="text-xs text-quiet">{help}</span>}
    </label>
  );
}

export const fieldLook =
  "w-full rounded border border-edge bg-paper px-3 text-base wide:text-sm min-h-11 wide:min-h-9";
