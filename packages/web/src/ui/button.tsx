import type { ButtonHTMLAttributes, ReactNode } from "react";
import { classes } from "./tone.ts";

const looks = {
  main: "bg-ink text-paper hover:bg-ink/88 active:bg-ink/80",
  plain: "border border-edge bg-paper hover:bg-sunken active:bg-pressed",
  danger: "border border-lost/50 text-lost bg-paper hover:bg-lost-wash active:bg-lost-wash",
  quiet: "text-ink hover:bg-sunken active:bg-pressed",
} as const;

/** Marks words as a button where no border does. */
const underline = "underline decoration-edge underline-offset-3";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof looks;
  /** The keyboard shortcut, shown on devices with a keyboard. */
  readonly hint?: string;
}

/** 44 pixels high for touch, 36 for a mouse. */
export function Button({ look = "plain", hint, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(
        "inline-flex h-11 items-center justify-center gap-2 rounded px-4 text-base font-medium whitespace-nowrap select-none disabled:opacity-50 wide:h-9 wide:px-3 wide:text-sm",
        looks[look],
        className,
      )}
    >
      {look === "quiet" ? <span className={underline}>{children}</span> : children}
      {hint !== undefined && <Key>{hint}</Key>}
    </button>
  );
}

export function TextButton({ className, ...rest }: ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" {...rest} className={classes(underline, "hover:text-ink", className)} />
  );
}

export function IconButton({
  label,
  className,
  children,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={classes(
        "inline-flex size-11 shrink-0 items-center justify-center rounded text-quiet hover:bg-sunken hover:text-ink active:bg-pressed disabled:opacity-50 wide:size-8 [&>svg]:size-5 wide:[&>svg]:size-4",
        className,
      )}
    >
      {children}
    </button>
  );
}

export function Key({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="hidden rounded-[4px] border border-current/25 px-1 font-sans text-xs opacity-70 wide:inline">
      {children}
    </kbd>
  );
}
