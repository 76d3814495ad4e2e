import { visible } from "@holdfast/protocol";
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./button.tsx";

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
}

/** A line of text to copy, such as a command. */
export function CopyLine({ text, label }: Required<CopyButtonProps>) {
  return (
    <p className="flex w-full items-center rounded bg-sunken pl-3 font-mono text-sm">
      <span className="inert min-w-0 flex-1 py-2.5">{visible(text)}</span>
      <CopyButton text={text} label={label} />
    </p>
  );
}

const SHOWN_MS = 1600;

/** Renders null when the browser offers no clipboard, as over plain http. */
export function CopyButton({ text, label = "Copy" }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  if (navigator.clipboard === undefined) return null;
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    );
  return (
    <IconButton label={isCopied ? "Copied" : label} onClick={copy}>
      {isCopied ? <Check /> : <Copy />}
    </IconButton>
  );
}
