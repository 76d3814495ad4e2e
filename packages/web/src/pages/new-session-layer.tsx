import { useHoldfast, useSessions } from "@holdfast/client/react";
import { useState } from "react";
import NewSession, { type NewSessionChoice } from "../components/new-session.tsx";
import { useAsked } from "./use-asked.ts";

interface NewSessionLayerProps {
  readonly onClose: () => void;
  readonly onStarted: (session: string) => void;
}

export default function NewSessionLayer({ onClose, onStarted }: NewSessionLayerProps) {
  const { client } = useHoldfast();
  const { sessions } = useSessions();
  const agents = useAsked<"listAgents">(
    (host, signal) => host.call("listAgents", { signal }),
    "agents",
  );
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (agents === null) return null;
  const paths = sessions.flatMap(({ workspace }) => workspace.path ?? []);
  const start = async ({ agent, path, message }: NewSessionChoice) => {
    setBusy(true);
    const workspace = path === null ? {} : { workspace: { kind: "in-place" as const, path } };
    try {
      const { session } = await client.call("createSession", {
        body: { agent, message, ...workspace },
      });
      onStarted(session.id);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <NewSession
      agents={agents.agents}
      recent={[...new Set(paths)]}
      problem={problem}
      isBusy={isBusy}
      onStart={(choice) => void start(choice)}
      onClose={onClose}
    />
  );
}
