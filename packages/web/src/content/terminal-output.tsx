/** A command's output. Output with cursor moves or styles is interpreted as a terminal does. */

import { count, visible } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import type { Line } from "../terminal/terminal-text.ts";
import { output, overwritten } from "../text/output.ts";
import { TextButton } from "../ui/button.tsx";
import { LongText } from "./long-text.tsx";

/** A carriage return or an escape sequence; `\r\n` counts as a plain line end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters.
const moves = /\r(?!\n)|\u001b|\u0008/;

const LINES = 40;

interface TerminalOutputProps {
  readonly text: string;
  readonly isAll?: boolean;
}

export function TerminalOutput({ text, isAll = false }: TerminalOutputProps) {
  const [isRaw, setRaw] = useState(false);
  const read = useTerminalLines(text);
  // Plain text is shown directly. Other text is shown without its overwritten parts until it is
  // interpreted.
  if (read === null) return <LongText text={overwritten(text)} lines={LINES} isAll={isAll} />;
  return (
    <>
      {isRaw ? (
        <LongText text={output(text)} lines={LINES} isAll={isAll} />
      ) : (
        <Lines lines={read} most={isAll ? STEP : LINES} />
      )}
      <TextButton data-opens className={button} onClick={() => setRaw(!isRaw)}>
        {isRaw ? "Show as terminal output" : "Show control characters"}
      </TextButton>
    </>
  );
}

const button = "block py-2 text-sm text-quiet";

const STEP = 500;

function Lines({ lines, most }: { readonly lines: readonly Line[]; readonly most: number }) {
  const [more, setMore] = useState(0);
  const hidden = lines.length - most - more;
  const shown = hidden <= 1 ? lines : lines.slice(0, most + more);
  return (
    <>
      <div className="inert whitespace-pre-wrap">
        {shown.map((line, y) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are the lines of one text, in order.
          <div key={y}>
            {line.length === 0 && " "}
            {line.map(({ text, look }, x) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: runs of a line have only their order.
              <span key={x} className={look}>
                {visible(text)}
              </span>
            ))}
          </div>
        ))}
      </div>
      {hidden > 1 && (
        <TextButton data-opens className={button} onClick={() => setMore(more + STEP)}>
          Show {count(Math.min(hidden, STEP), "more line")}
        </TextButton>
      )}
    </>
  );
}

/** The interpreted lines; null for plain text, and until the interpreter is done. */
export function useTerminalLines(text: string): readonly Line[] | null {
  const [read, setRead] = useState<{ readonly of: string; readonly lines: readonly Line[] } | null>(
    null,
  );
  const isTerminal = moves.test(text);
  useEffect(() => {
    if (!isTerminal) return;
    let isWanted = true;
    import("../terminal/terminal-text.ts")
      .then(({ terminalLines }) => terminalLines(text))
      .then(
        (lines) => isWanted && setRead({ of: text, lines }),
        // The interpreter could not be loaded, so the last state of each line is shown.
        () => undefined,
      );
    return () => {
      isWanted = false;
    };
  }, [text, isTerminal]);
  return isTerminal && read?.of === text ? read.lines : null;
}
