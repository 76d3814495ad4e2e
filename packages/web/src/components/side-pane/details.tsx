import {
  endingWords,
  figure,
  type QueuedView,
  type SessionView,
  type StandingRule,
  visibleLine,
} from "@holdfast/protocol";
import { type ReactElement, useState } from "react";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { classes } from "../../ui/tone.ts";
import { exactTime } from "../../words/measures.ts";
import { ruleWords } from "../../words/rule.ts";
import { stateWord } from "../../words/state.ts";
import { Rename } from "./rename.tsx";

export type SessionAct = "pause" | "wake" | "end" | "rule" | "rename";

interface DetailsDoings {
  readonly onPhone: () => void;
  readonly onPause: () => void;
  readonly onWake: () => void;
  readonly onEnd: () => void;
  readonly onSeen: () => void;
}

interface DetailsProps extends DetailsDoings {
  readonly session: SessionView;
  readonly queue: readonly QueuedView[];
  readonly tokens: { readonly input: number; readonly output: number };
  readonly busy: SessionAct | null;
  readonly problem: { readonly what: SessionAct; readonly words: string } | null;
  readonly breakIt: ReactElement | null;
  readonly rules: readonly StandingRule[];
  readonly onRevokeRule: (id: string) => void;
  readonly onRename: (title: string) => void;
}

export function Details({
  session,
  tokens,
  breakIt,
  rules,
  onRevokeRule,
  onRename,
  ...acts
}: DetailsProps) {
  const { agentName, model, workspace, isolation, runtime, lastSeq, createdAt, recovery } = session;
  const facts: readonly (readonly [string, string | null])[] = [
    ["State", stateWord(session).word],
    ["Agent", model === null ? agentName : `${agentName}, ${model}`],
    ["Folder", workspace.path || "a new folder"],
    ["Branch", workspace.branch],
    [
      "Isolation",
      isolation === "none" ? "none: the agent can do everything the host’s user can" : isolation,
    ],
    ["Process", processes[runtime.state]],
    ["Tokens", `${figure(tokens.input)} in, ${figure(tokens.output)} out, in the last run`],
    ["Events", figure(lastSeq)],
    ["Recoveries", figure(recovery.receipts)],
    ["Created", exactTime(createdAt)],
    ["Id", session.id],
  ];
  const isEnded = session.lifecycle === "ended";
  return (
    <div className="px-4 py-3">
      {!isEnded && breakIt !== null && (
        <section className="mb-4 border-b border-hair pb-4">
          <h2 className="font-semibold">Break it</h2>
          {breakIt}
        </section>
      )}
      {!isEnded && <Rename title={session.title} isBusy={acts.busy !== null} onRename={onRename} />}
      <dl className="grid grid-cols-[96px_1fr] gap-y-1.5 text-sm">
        {facts.map(([name, fact]) =>
          fact === null ? null : (
            <div key={name} className="contents">
              <dt className="text-quiet">{name}</dt>
              <dd className={classes("inert", name === "Id" && "font-mono text-xs leading-5")}>
                {visibleLine(fact)}
              </dd>
            </div>
          ),
        )}
      </dl>
      {!isEnded && rules.length > 0 && (
        <Rules rules={rules} isBusy={acts.busy !== null} onRevoke={onRevokeRule} />
      )}
      {isEnded ? (
        <p className="mt-4 text-sm text-quiet">This session has ended. You can still read it.</p>
      ) : (
        <Acts session={session} {...acts} />
      )}
    </div>
  );
}

interface RulesProps {
  readonly rules: readonly StandingRule[];
  readonly isBusy: boolean;
  readonly onRevoke: (id: string) => void;
}

function Rules({ rules, isBusy, onRevoke }: RulesProps) {
  return (
    <section aria-label="Always allowed" className="mt-4 border-t border-hair pt-3">
      <h2 className="text-sm font-semibold">Always allowed</h2>
      <p className="text-sm text-quiet">
        These run without asking{rules.every(({ scope }) => scope === "run") ? " in this run" : ""}.
        They apply until the session ends.
      </p>
      <ul className="mt-1 divide-y divide-hair">
        {rules.map(({ id, toolName, pattern, scope }) => (
          <li key={id} className="flex items-center gap-2 py-1">
            <p className="inert line-clamp-3 min-w-0 flex-1 font-mono text-xs">
              {visibleLine(ruleWords(toolName, pattern))}
              {scope === "run" && <span className="font-sans text-quiet"> · this run only</span>}
            </p>
            <Button disabled={isBusy} onClick={() => onRevoke(id)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const processes: Readonly<Record<SessionView["runtime"]["state"], string>> = {
  none: "none",
  starting: "starting",
  live: "up",
  frozen: "suspended",
  unreachable: "unknown: it cannot be reached",
};

type ActsProps = Omit<DetailsProps, "tokens" | "breakIt" | "rules" | "onRevokeRule" | "onRename">;

function Acts({ session, queue, busy, problem, ...doings }: ActsProps) {
  const [isEnding, setEnding] = useState(false);
  const isAsleep = session.lifecycle === "paused";
  const endProblem = problem?.what === "end" ? problem.words : null;
  const close = () => {
    setEnding(false);
    doings.onSeen();
  };
  return (
    <>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button onClick={doings.onPhone}>Open on a phone</Button>
        {isAsleep ? (
          <Button disabled={busy !== null} onClick={doings.onWake}>
            {busy === "wake" ? "Resuming …" : "Resume"}
          </Button>
        ) : (
          <Button disabled={busy !== null} onClick={doings.onPause}>
            {busy === "pause" ? "Pausing …" : "Pause"}
          </Button>
        )}
        <Button disabled={busy !== null} onClick={() => setEnding(true)}>
          End session
        </Button>
      </div>
      <Alert words={problem?.what === "end" ? null : (problem?.words ?? null)} className="mt-2" />
      {isEnding && (
        <Confirm
          title="End this session?"
          about={visibleLine(`${endWords(session)} ${endingWords(queue)}`)}
          verb="End session"
          doing="Ending …"
          isBusy={busy === "end"}
          problem={endProblem}
          onConfirm={doings.onEnd}
          onClose={close}
        />
      )}
    </>
  );
}

function endWords({ status }: SessionView): string {
  const isOpen = status === "running" || status === "waiting";
  return isOpen ? "The run and the agent are stopped." : "The agent is stopped.";
}
