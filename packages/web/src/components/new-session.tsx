/** A new session: which agent, where, and what to do first. */

import type { AgentView } from "@holdfast/protocol";
import { type FormEvent, useState } from "react";
import { visibleLine } from "../text/inert.ts";
import { Button } from "./button.tsx";
import { Sheet } from "./dialog.tsx";
import { Field, fieldLook } from "./field.tsx";
import { classes } from "./tone.ts";

export interface NewSessionChoice {
  readonly agent: string;
  /** Null: a fresh folder of its own. */
  readonly path: string | null;
  readonly message: string;
}

interface NewSessionProps {
  readonly agents: readonly AgentView[];
  /** Folders that sessions were in, the latest first. */
  readonly recent: readonly string[];
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly onStart: (choice: NewSessionChoice) => void;
  readonly onClose: () => void;
}

export default function NewSession({
  agents,
  recent,
  problem,
  isBusy,
  onStart,
  onClose,
}: NewSessionProps) {
  const ready = agents.filter(({ installed }) => installed);
  const [agent, setAgent] = useState(ready[0]?.name ?? "");
  const [path, setPath] = useState(recent[0] ?? "");
  const [message, setMessage] = useState("");
  const start = (event: FormEvent) => {
    event.preventDefault();
    onStart({ agent, path: path.trim() || null, message: message.trim() });
  };
  return (
    <Sheet title="New session" onClose={onClose}>
      <form className="grid gap-5" onSubmit={start}>
        <AgentChoice agents={agents} chosen={agent} onChoose={setAgent} />
        <Field label="Workspace" help="A folder on the host. Empty: a fresh one of its own.">
          <input
            value={path}
            list="recent-folders"
            placeholder="/home/you/project"
            autoCapitalize="off"
            spellCheck={false}
            className={classes(fieldLook, "font-mono text-sm")}
            onChange={(event) => setPath(event.target.value)}
          />
          <datalist id="recent-folders">
            {recent.map((folder) => (
              <option key={folder} value={folder} />
            ))}
          </datalist>
        </Field>
        <Field label="First message">
          <textarea
            value={message}
            rows={4}
            placeholder="What should it do?"
            className={classes(fieldLook, "resize-none py-2")}
            onChange={(event) => setMessage(event.target.value)}
          />
        </Field>
        {problem !== null && <p className="text-sm text-lost">{visibleLine(problem)}</p>}
        <div className="flex justify-end gap-2 *:flex-1 wide:*:flex-none">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="main"
            type="submit"
            disabled={agent === "" || message.trim() === "" || isBusy}
          >
            {isBusy ? "Starting …" : "Start"}
          </Button>
        </div>
      </form>
    </Sheet>
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
        {agents.map(({ name, title, installed, version, missing }) => (
          <label
            key={name}
            className={classes(
              "flex min-h-11 items-center gap-3 px-3 py-1.5 has-focus-visible:outline-2",
              installed ? "cursor-pointer" : "text-quiet",
            )}
          >
            <input
              type="radio"
              name="agent"
              value={name}
              checked={chosen === name}
              disabled={!installed}
              className="size-4 accent-ink outline-none"
              onChange={() => onChoose(name)}
            />
            <span className="min-w-0 flex-1 truncate text-sm font-medium">
              {visibleLine(title)}
            </span>
            <span className="shrink-0 text-xs text-quiet">
              {installed ? version : missing === null ? "missing" : "not installed"}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
