import type { ReactNode } from "react";

interface FieldProps {
  readonly label: string;
  readonly help?: string;
  readonly children: ReactNode;
}

export function Field({ label, help, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
    <label className="grid gap-1.5">
      <span className="text-sm font-medium">{label}</span>
      {children}
      {help !== undefined && <span className="text-xs text-quiet">{help}</span>}
    </label>
  );
}

export const fieldLook =
  "w-full rounded border border-edge bg-paper px-3 text-base wide:text-sm min-h-11 wide:min-h-9";
