import { useHoldfast, useSessions } from "@holdfast/client/react";
import NewSession, { type NewSessionChoice } from "../../components/list/new-session.tsx";
import { policyOf } from "../../words/policy.ts";
import { useAsked } from "../hooks/use-asked.ts";
import { useDoing } from "../hooks/use-doing.ts";
import { useDraft } from "../hooks/use-draft.ts";

interface NewSessionLayerProps {
  readonly onClose: () => void;
  readonly onStarted: (session: string) => void;
  readonly onAgents: () => void;
}

export default function NewSessionLayer({ onClose, onStarted, onAgents }: NewSessionLayerProps) {
  const { client } = useHoldfast();
  const { sessions } = useSessions();
  const agents = useAsked("listAgents");
  const { busy, problem, run, onSeen } = useDoing<"start">();
  const [path, setPath] = useDraft("new.folder");
  const [message, setMessage] = useDraft("new");
  const forget = () => {
    setPath("");
    setMessage("");
  };
  const changePath = (next: string) => {
    setPath(next);
    if (problem !== null) onSeen();
  };
  // Only folders that a person chose are offered again.
  const paths = sessions.flatMap(({ workspace: { kind, path } }) =>
    kind === "in-place" && path !== null ? [path] : [],
  );
  const start = ({ agent, path, message, policy }: NewSessionChoice) =>
    run("start", async () => {
      const workspace = path === null ? {} : { workspace: { kind: "in-place" as const, path } };
      const body = { agent, message, policy: policyOf(policy), ...workspace };
      const { session } = await client.call("createSession", { body });
      forget();
      onStarted(session.id);
    });
  return (
    <NewSession
      agents={agents?.agents ?? null}
      recent={[...new Set(paths)]}
      draft={{ path, message }}
      problem={problem}
      isBusy={busy !== null}
      onStart={(choice) => void start(choice)}
      onAgents={onAgents}
      onPath={changePath}
      onMessage={setMessage}
      onCancel={() => {
        forget();
        onClose();
      }}
      onClose={onClose}
    />
  );
}
