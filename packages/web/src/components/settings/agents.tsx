/** The agents of this host: which are ready, and how to get what the others lack. */

import { type AgentView, visible, visibleLine } from "@holdfast/protocol";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-button.tsx";
import { Stroke } from "../../ui/glyph.tsx";

interface AgentsProps {
  readonly agents: readonly AgentView[];
  readonly checks: Readonly<Record<string, string>>;
  readonly onCheck: (name: string) => void;
}

export function Agents({ agents, checks, onCheck }: AgentsProps) {
  const sorted = agents.toSorted((a, b) => Number(b.installed) - Number(a.installed));
  return (
    <ul className="divide-y divide-hair">
      {sorted.map((agent) => (
        <Agent
          key={agent.name}
          agent={agent}
          check={checks[agent.name] ?? null}
          onCheck={onCheck}
        />
      ))}
    </ul>
  );
}

interface AgentProps {
  readonly agent: AgentView;
  readonly check: string | null;
  readonly onCheck: (name: string) => void;
}

function Agent({ agent, check, onCheck }: AgentProps) {
  const { name, title, installed, version, missing, quirks } = agent;
  return (
    <li className="grid gap-2 py-4">
      <div className="flex items-center gap-3">
        <Ready isReady={installed} />
        <div className="min-w-0 flex-1">
          <h2 className="inert truncate font-medium">{visibleLine(title)}</h2>
          <p className="text-sm text-quiet">
            <span className={installed ? "text-alive" : "text-ink"}>
              {installed ? "ready" : "not installed"}
            </span>
            <span className="font-mono text-xs"> · {name}</span>
            {version !== null && <span> · {visibleLine(version)}</span>}
          </p>
        </div>
        {installed && (
          <Button look="quiet" onClick={() => onCheck(name)}>
            Check
          </Button>
        )}
      </div>
      <div className="grid gap-2 pl-7 text-sm">
        <p className="text-quiet">{canDo(agent)}</p>
        {missing !== null && <Missing agent={agent} words={missing} />}
        {quirks.map((quirk) => (
          <p key={quirk} className="inert text-quiet">
            {visible(quirk)}
          </p>
        ))}
        {check !== null && <p className="inert">{visible(check)}</p>}
      </div>
    </li>
  );
}

function canDo({ resume, history, freeze }: AgentView): string {
  const words = [
    resume === "native"
      ? "can reload its own saved sessions"
      : "cannot reload its own saved sessions",
    ...(history === "never" ? [] : ["Holdfast can tell it the conversation"]),
    ...(freeze ? ["can be suspended during a run"] : []),
  ];
  const line = words.join(", ");
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}.`;
}

/** An install command stands by itself, to be copied; advice is part of the host's sentence. */
function Missing({ agent, words }: { readonly agent: AgentView; readonly words: string }) {
  const { title, install } = agent;
  const command = install !== undefined && "command" in install ? install.command : null;
  const what = command === null ? words : `${title} was not found.`;
  return (
    <div className="grid gap-2">
      <p className="inert">{visible(what)}</p>
      {command !== null && <CopyLine text={command} label="Copy command" />}
    </div>
  );
}

function Ready({ isReady }: { readonly isReady: boolean }) {
  return (
    <Stroke className={isReady ? "text-alive" : "text-quiet"}>
      {isReady ? (
        <path d="m3 8.5 3.5 3.5L13 4.5" />
      ) : (
        <circle cx="8" cy="8" r="4.5" strokeDasharray="2.4 2.3" />
      )}
    </Stroke>
  );
}
