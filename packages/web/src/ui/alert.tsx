import { visible } from "@holdfast/protocol";
import { classes } from "./tone.ts";

interface AlertProps {
  readonly words: string | null;
  readonly className?: string;
}

export function Alert({ words, className }: AlertProps) {
  if (words === null) return null;
  return (
    <p role="alert" className={classes("inert text-sm text-lost", className)}>
      {visible(words)}
    </p>
  );
}
