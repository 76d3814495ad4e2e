/** An agent's request, formatted by its kind, or as its exact input. */

import {
  type AskedQuestion,
  bytes,
  exactInput,
  fieldText,
  type Json,
  type Request,
  visible,
  visibleLine,
} from "@holdfast/protocol";
import { WholeText } from "../../content/whole-text.tsx";
import { LazyDiff } from "../../diff/lazy-diff.tsx";
import { Markdown } from "../../markdown/markdown.tsx";

interface RequestViewProps {
  readonly request: Request;
  readonly input: Json;
  /** The folder of a command that does not name one itself. */
  readonly folder: string | null;
  readonly isExact: boolean;
}

export function RequestView({ request, input, folder, isExact }: RequestViewProps) {
  const isDrawn = request.kind !== "other" && !isExact;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 [&_figure]:mb-0 [&_figure]:bg-paper">
      {isDrawn && <Drawn request={request} folder={folder} />}
      {isDrawn && request.rest.length > 0 && <Rest rest={request.rest} />}
      {!isDrawn && (
        <>
          <p className="text-xs text-quiet">The exact input of this call:</p>
          <Exact input={input} />
        </>
      )}
    </div>
  );
}

function Drawn({ request, folder }: Pick<RequestViewProps, "request" | "folder">) {
  switch (request.kind) {
    case "command":
      return <Command command={request.command} folder={request.folder ?? folder} />;
    case "edit":
      return request.edits.map(({ path, before, after }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one file may be edited in several places.
        <LazyDiff key={at} diff={{ path, before, after, toolCallId: null }} lines={ALL_LINES} />
      ));
    case "patch":
      return <LazyDiff diff={{ path: request.path, patch: request.patch }} lines={ALL_LINES} />;
    case "plan":
      return (
        <div className={`${frame} [&_.prose>:first-child]:mt-0!`}>
          <Markdown text={request.plan} isStreaming={false} />
        </div>
      );
    case "fetch":
      return <p className={`${frame} code inert`}>{visibleLine(request.url)}</p>;
    case "question":
      return request.questions.map((asked) => <Question key={asked.question} asked={asked} />);
    case "hidden":
      return <Hidden request={request} />;
    case "other":
      return null;
  }
}

/** Edits and patches are not collapsed, because a decision covers all of their lines. */
const ALL_LINES = 100_000;

const frame = "rounded border border-hair bg-paper px-3 py-2";

function Command({
  command,
  folder,
}: {
  readonly command: string;
  readonly folder: string | null;
}) {
  return (
    <div className={frame}>
      <pre className="code inert whitespace-pre-wrap">
        <span className="text-quiet select-none" aria-hidden="true">
          ${" "}
        </span>
        {visible(command)}
      </pre>
      {folder !== null && <p className="inert mt-1 text-xs text-quiet">in {visibleLine(folder)}</p>}
    </div>
  );
}

function Question({ asked }: { readonly asked: AskedQuestion }) {
  return (
    <div className={frame}>
      <p className="inert whitespace-pre-wrap">{visible(asked.question)}</p>
      {asked.choices.length > 0 && (
        <ul className="mt-1 list-disc pl-5 text-sm">
          {asked.choices.map(({ label, about }) => (
            <li key={label} className="inert">
              {visibleLine(label)}
              {about !== "" && <span className="text-quiet"> · {visibleLine(about)}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Hidden({ request }: { readonly request: Extract<Request, { kind: "hidden" }> }) {
  const { blob, beginning } = request;
  if (blob === null) {
    return (
      <div className={frame}>
        <p className="font-medium">Too large to show here</p>
        <p className="mt-1 text-sm text-quiet">
          You cannot see what would run. Deny it, and ask for smaller steps.
        </p>
      </div>
    );
  }
  return (
    <div className={frame}>
      <p className="font-medium">Too large to show here: {bytes(blob.bytes)}</p>
      <p className="mt-1 text-sm text-quiet">
        This is only its beginning. Look at all of it before you allow it.
      </p>
      <pre className="code inert mt-2 max-h-40 overflow-hidden whitespace-pre-wrap">
        {visible(beginning.slice(0, BEGINNING))} …
      </pre>
      <WholeText blob={blob} />
    </div>
  );
}

/** Enough characters to recognise the content. */
const BEGINNING = 2000;

function Rest({ rest }: { readonly rest: Request["rest"] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-xs text-quiet">
      {rest.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="inert">{visibleLine(name)}</dt>
          <dd className="inert font-mono">{visibleLine(fieldText(value))}</dd>
        </div>
      ))}
    </dl>
  );
}

function Exact({ input }: { readonly input: Json }) {
  return (
    <pre className={`${frame} code inert whitespace-pre-wrap`}>{visible(exactInput(input))}</pre>
  );
}
