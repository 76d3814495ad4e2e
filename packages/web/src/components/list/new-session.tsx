/** The new-session form: agent, folder, settings, and the first message. */

import { type AgentView, count, visibleLine } from "@holdfast/protocol";
import { ChevronRight } from "lucide-react";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { Alert } from "../../ui/alert.tsx";
import { Button, TextButton } from "../../ui/button.tsx";
import { Sheet } from "../../ui/dialog.tsx";
import { Field, fieldLook } from "../../ui/field.tsx";
import { classes } from "../../ui/tone.ts";
import { idle, type PolicyChoice, unwatched, usualPolicy } from "../../words/policy.ts";
import { pathProblem } from "../../words/problem.ts";

export interface NewSessionChoice {
  readonly agent: string;
  /** Null for a fresh folder of the session's own. */
  readonly path: string | null;
  readonly message: string;
  readonly policy: PolicyChoice;
}

interface NewSessionProps {
  /** Null until the host has listed them. */
  readonly agents: readonly AgentView[] | null;
  readonly recent: readonly string[];
  /** The saved draft, which also survives closing the form. */
  readonly draft: { readonly path: string; readonly message: string };
  readonly problem: { readonly words: string; readonly field: string | null } | null;
  readonly isBusy: boolean;
  readonly onPath: (path: string) => void;
  readonly onMessage: (message: string) => void;
  readonly onStart: (choice: NewSessionChoice) => void;
  readonly onAgents: () => void;
  /** Closes the form and deletes the draft; closing it otherwise keeps the draft. */
  readonly onCancel: () => void;
  readonly onClose: () => void;
}

export default function NewSession(props: NewSessionProps) {
  const first = useRef<HTMLTextAreaElement>(null);
  return (
    <Sheet title="New session" first={first} onClose={props.onClose}>
      {props.agents === null ? (
        <p className="pb-6 text-sm text-quiet">Loading agents …</p>
      ) : (
        <NewSessionForm {...props} agents={props.agents} first={first} />
      )}
    </Sheet>
  );
}

type FormProps = NewSessionProps & {
  readonly agents: readonly AgentView[];
  readonly first: RefObject<HTMLTextAreaElement | null>;
};

function NewSessionForm({ agents, recent, draft, problem, isBusy, first, ...doings }: FormProps) {
  const { onStart, onAgents, onPath, onMessage, onCancel } = doings;
  const { path, message } = draft;
  const ready = agents.filter(({ installed }) => installed);
  const missing = agents.length - ready.length;
  const [agent, setAgent] = useState(ready[0]?.name ?? "");
  const [policy, setPolicy] = useState(usualPolicy);
  // Focuses the first field here as well, because the agents may load after the sheet was focused.
  useEffect(() => {
    first.current?.focus();
  }, [first]);
  const folder = path.trim();
  const isAboutPath = problem?.field?.startsWith("body.workspace") === true;
  const wrong = pathProblem(folder);
  const start = (event: FormEvent) => {
    event.preventDefault();
    onStart({ agent, path: folder || null, message: message.trim(), policy });
  };
  return (
    <form className="grid gap-5" onSubmit={start}>
      <div>
        <AgentChoice agents={ready} chosen={agent} onChoose={setAgent} />
        {missing > 0 && (
          <TextButton className="mt-1 min-h-11 text-sm text-quiet wide:min-h-8" onClick={onAgents}>
            {count(missing, "more", "more")} can be installed
          </TextButton>
        )}
      </div>
      <div>
        <Field
          label="Workspace"
          help="A folder on the host. Leave empty for a new folder."
          problem={wrong ?? (isAboutPath ? problem.words : null)}
        >
          <input
            value={path}
            placeholder="/home/you/project"
            autoCapitalize="off"
            spellCheck={false}
            className={classes(fieldLook, "font-mono text-sm")}
            onChange={(event) => onPath(event.target.value)}
          />
        </Field>
        <Recent folders={recent.filter((one) => one !== folder)} onChoose={onPath} />
      </div>
      <PolicyFields policy={policy} onPolicy={setPolicy} />
      <Field label="First message">
        <textarea
          ref={first}
          value={message}
          rows={3}
          placeholder="What should the agent do?"
          className={classes(fieldLook, "resize-none py-2")}
          onChange={(event) => onMessage(event.target.value)}
        />
      </Field>
      <Alert words={problem === null || isAboutPath ? null : problem.words} />
      <div className="sticky -bottom-5 -mx-5 -mb-5 flex justify-end gap-2 border-t border-hair bg-raised px-5 py-3 *:flex-1 wide:*:flex-none">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          look="main"
          type="submit"
          disabled={agent === "" || message.trim() === "" || wrong !== null || isBusy}
        >
          {isBusy ? "Starting …" : "Start"}
        </Button>
      </div>
    </form>
  );
}

const OFFERED = 3;

interface RecentProps {
  readonly folders: readonly string[];
  readonly onChoose: (folder: string) => void;
}

function Recent({ folders, onChoose }: RecentProps) {
  if (folders.length === 0) return null;
  return (
    <ul aria-label="Recent folders" className="mt-1 flex flex-wrap gap-x-4">
      {folders.slice(0, OFFERED).map((folder) => (
        <li key={folder} className="min-w-0">
          <TextButton
            className="inert min-h-11 max-w-full truncate font-mono text-xs text-quiet wide:min-h-8"
            onClick={() => onChoose(folder)}
          >
            {visibleLine(folder)}
          </TextButton>
        </li>
      ))}
    </ul>
  );
}

interface AgentChoiceProps {
  readonly agents: readonly AgentView[];
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

function AgentChoice({ agents, chosen, onChoose }: AgentChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Agent</legend>
      <div className="grid divide-y divide-hair rounded border border-edge">
        {agents.map(({ name, title, version }) => (
          <label
            key={name}
            className="flex min-h-11 cursor-pointer items-center gap-3 px-3 py-1.5 has-focus-visible:outline-2"
          >
            <input
              type="radio"
              name="agent"
              value={name}
              checked={chosen === name}
              className="size-4 accent-ink outline-none"
              onChange={() => onChoose(name)}
            />
            <span className="min-w-0 flex-1 truncate text-sm font-medium">
              {visibleLine(title)}
            </span>
            <span className="shrink-0 text-xs text-quiet">{version}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface PolicyFieldsProps {
  readonly policy: PolicyChoice;
  readonly onPolicy: (policy: PolicyChoice) => void;
}

/** Advanced settings, collapsed: the summary names the current choice. */
function PolicyFields({ policy, onPolicy }: PolicyFieldsProps) {
  return (
    <details className="group">
      <summary className="flex min-h-11 cursor-pointer items-center gap-2 text-sm wide:min-h-8">
        <span className="font-medium">Policy</span>
        <span className="min-w-0 flex-1 truncate text-quiet">
          <span className="group-open:hidden">{unwatched[policy.unwatched].words}</span>
        </span>
        <ChevronRight
          className="size-4 shrink-0 text-quiet group-open:rotate-90"
          aria-hidden="true"
        />
      </summary>
      <div className="grid gap-4 pt-1">
        <Choice
          label="While the agent works and no one is watching"
          choices={unwatched}
          chosen={policy.unwatched}
          onChoose={(chosen) => onPolicy({ ...policy, unwatched: chosen })}
        />
        <Choice
          label="When the agent is idle"
          choices={idle}
          chosen={policy.idle}
          onChoose={(chosen) => onPolicy({ ...policy, idle: chosen })}
        />
      </div>
    </details>
  );
}

interface ChoiceProps<Name extends string> {
  readonly label: string;
  readonly choices: Readonly<Record<Name, { readonly words: string }>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

function Choice<Name extends string>({ label, choices, chosen, onChoose }: ChoiceProps<Name>) {
  return (
    <Field label={label}>
      <select
        value={chosen}
        className={fieldLook}
        onChange={(event) => onChoose(event.target.value as Name)}
      >
        {(Object.keys(choices) as Name[]).map((name) => (
          <option key={name} value={name}>
            {choices[name].words}
          </option>
        ))}
      </select>
    </Field>
  );
}
