import { useHoldfast } from "@holdfast/client/react";
import type { AgentCheckView } from "@holdfast/protocol";
import { duration } from "@holdfast/protocol";
import { useState } from "react";
import { useLocation } from "wouter";
import { Agents } from "../../components/settings/agents.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { useAsked } from "../hooks/use-asked.ts";

export default function AgentsPage() {
  const { client } = useHoldfast();
  const [, go] = useLocation();
  const reply = useAsked("listAgents");
  const [checks, setChecks] = useState<Readonly<Record<string, string>>>({});
  const say = (name: string, words: string) =>
    setChecks((before) => ({ ...before, [name]: words }));
  const check = (agent: string) => {
    say(agent, "Starting the agent …");
    client.call("checkAgent", { body: { agent } }).then(
      ({ check: found }) => say(agent, checkWords(found)),
      (error: unknown) => say(agent, error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <PageFrame title="Agents" onBack={() => go("/settings")}>
      {reply === null ? (
        <p className="py-4 text-quiet">Loading agents …</p>
      ) : (
        <Agents agents={reply.agents} checks={checks} onCheck={check} />
      )}
    </PageFrame>
  );
}

function checkWords({ problem, startMs, logins }: AgentCheckView): string {
  const up = `The agent started in ${duration(startMs)}`;
  if (problem === null) return `${up} and can create sessions.`;
  const how = logins.length === 0 ? "" : ` To log in, it offers: ${logins.join(", ")}.`;
  return `${up}, but cannot create a session: ${problem}${how}`;
}
