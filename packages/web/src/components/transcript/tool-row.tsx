/** A tool call in one line, which expands in place; while it runs, its last output is shown. */

import {
  authorWords,
  callStatus,
  count,
  duration,
  exactInput,
  isStop,
  type TonedWord,
  type ToolPart,
  visible,
  visibleLine,
} from "@holdfast/protocol";
import { useState } from "react";
import { LongText } from "../../content/long-text.tsx";
import { TerminalOutput, useTerminalLines } from "../../content/terminal-output.tsx";
import { WholeText } from "../../content/whole-text.tsx";
import { LazyDiff } from "../../diff/lazy-diff.tsx";
import { type Pictured, sizeOf, type ToldDiff } from "../../line/parts.ts";
import type { LineTone } from "../../line/rows.ts";
import { cutLines, overwritten } from "../../text/output.ts";
import { toneText } from "../../ui/tone.ts";
import { toolMark } from "../../words/story.ts";
import { lastLines, resultWords, toolLine } from "../../words/tool.ts";
import { LineRow } from "./line-row.tsx";
import { PictureView } from "./picture.tsx";
import { Unfold } from "./unfold.tsx";

interface ToolRowProps {
  readonly line: LineTone;
  readonly tool: ToolPart;
  readonly diffs: readonly ToldDiff[];
  readonly pictures?: readonly Pictured[];
  /** The call's duration; absent when it is unknown or not worth showing. */
  readonly ms?: number | undefined;
  readonly root?: string | null;
}

export function ToolRow({ line, tool, diffs, pictures = [], ms, root = null }: ToolRowProps) {
  const [isOpen, setOpen] = useState(false);
  const isRunning = tool.status === "running";
  const { verb, target } = toolLine(tool.name, tool.input, root);
  const mark = toolMark(tool);
  return (
    <LineRow line={line} {...knotOf(tool)} knotY="var(--tool-y)">
      <Unfold isOpen={isOpen} onPress={() => setOpen(!isOpen)} className="min-w-0 wide:min-h-8">
        <span className="min-w-0 flex-1 truncate">
          <span className="inert font-medium">{visibleLine(verb)}</span>
          {target !== "" && (
            <span className="inert ml-2 font-mono text-quiet">{visibleLine(target)}</span>
          )}
        </span>
        <Result
          mark={mark}
          given={callStatus(tool) === "completed" ? resultWords(overwritten(tool.output)) : ""}
          diffs={diffs}
          ms={ms}
        />
      </Unfold>
      {isRunning && !isOpen && <Tail text={tool.output} />}
      {diffs.map((diff) => (
        <LazyDiff
          key={diff.path}
          diff={diff}
          lines={isOpen ? 400 : 8}
          isPathShown={diffs.length > 1}
        />
      ))}
      {pictures.map((pictured, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pictures of one call have only their order.
        <PictureView key={i} {...pictured} />
      ))}
      {tool.approval?.decision === "deny" && <Denied {...tool.approval} />}
      {isOpen && <Inside tool={tool} pictures={pictures.length} />}
    </LineRow>
  );
}

function Denied({ by, reason }: NonNullable<ToolPart["approval"]>) {
  if (by === undefined) return null;
  return (
    <p dir="auto" className="inert pb-1 text-sm text-quiet">
      {isStop(reason)
        ? "Closed because the run was stopped."
        : `by ${visibleLine(authorWords(by))}${reason === undefined ? "" : `: ${visibleLine(reason)}`}`}
    </p>
  );
}

function knotOf(tool: ToolPart) {
  const shape = tool.approval === undefined ? "tool" : "ask";
  const { tone } = toolMark(tool);
  const isLive = tool.status === "running" && tone === "alive";
  return { shape, tone: callStatus(tool) === "completed" ? "alive" : tone, isLive } as const;
}

interface ResultProps {
  readonly mark: TonedWord;
  readonly given: string;
  readonly diffs: readonly ToldDiff[];
  readonly ms: number | undefined;
}

function Result({ mark, given, diffs, ms }: ResultProps) {
  const sizes = diffs.map(sizeOf);
  const isCounted = diffs.some((diff) => !("patch" in diff) || diff.size !== null);
  const plus = sizes.reduce((sum, size) => sum + size.plus, 0);
  const minus = sizes.reduce((sum, size) => sum + size.minus, 0);
  return (
    <span className="flex shrink-0 items-center gap-2 text-xs text-quiet">
      {mark.word !== "" && <span className={toneText[mark.tone]}>{mark.word}</span>}
      {given !== "" && diffs.length === 0 && <span className="inert">{visibleLine(given)}</span>}
      {isCounted && (
        <span>
          +{plus} −{minus}
        </span>
      )}
      {ms !== undefined && <span>{duration(ms)}</span>}
    </span>
  );
}

/** The characters at the end of the output that are read for the last three lines. */
const TAIL = 8000;

/** The last three lines of output, in a fixed height, so that the rows below do not move. */
function Tail({ text }: { readonly text: string }) {
  const read = useTerminalLines(text.slice(-TAIL));
  const lines =
    read?.slice(-3).map((line) => visible(line.map((run) => run.text).join(""))) ??
    lastLines(overwritten(text));
  if (lines.length === 0) return null;
  return (
    <div
      className="mb-2 h-15 overflow-hidden font-mono text-xs leading-5 text-quiet"
      aria-hidden="true"
    >
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are the lines of one text, in order.
        <div key={i} className="inert truncate">
          {cutLines(line, 300) || " "}
        </div>
      ))}
    </div>
  );
}

function Inside({ tool, pictures }: { readonly tool: ToolPart; readonly pictures: number }) {
  return (
    <dl className="mb-3 grid gap-3 rounded bg-sunken p-3 text-xs">
      <div>
        <dt className="text-quiet">Input</dt>
        <dd className="code">
          <LongText text={visible(exactInput(tool.input))} />
          {tool.inputBlob && <WholeText blob={tool.inputBlob} />}
        </dd>
      </div>
      <div>
        <dt className="text-quiet">{tool.status === "running" ? "Output so far" : "Result"}</dt>
        <dd className="code">
          {tool.output.trim() === "" ? (
            <span className="text-quiet">
              {pictures === 0 ? "nothing" : count(pictures, "picture")}
            </span>
          ) : (
            <TerminalOutput text={tool.output.trimEnd()} />
          )}
          {tool.outputBlob && <WholeText blob={tool.outputBlob} />}
        </dd>
      </div>
      {tool.approval?.by !== undefined && tool.approval.decision !== "deny" && (
        <p className="inert text-quiet">Allowed by {visibleLine(tool.approval.by)}.</p>
      )}
      {tool.recovered === true && (
        <p className="text-recovered">Found in the agent’s saved session after a restart.</p>
      )}
    </dl>
  );
}
