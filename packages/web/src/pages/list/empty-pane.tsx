import { useHoldfast, useSessions } from "@holdfast/client/react";
import { useLocation } from "wouter";
import { FirstVisit, Nothing } from "../../ui/notices.tsx";
import { useCommand } from "../hooks/use-command.ts";
import { useDoing } from "../hooks/use-doing.ts";

/** The first message to the demo agent: leads to a plan, a change, and a question. */
const DEMO = "Improve this program";

export function EmptyPane({ onNew }: { readonly onNew: () => void }) {
  const { client } = useHoldfast();
  const { sessions, phase, hasMore } = useSessions();
  const [, go] = useLocation();
  const { busy, problem, run } = useDoing<"demo">();
  const isFirst = phase === "ready" && sessions.length === 0 && !hasMore;
  const command = useCommand(isFirst);
  if (!isFirst) {
    return <Nothing title="Choose a session">Its whole history is kept.</Nothing>;
  }
  const startDemo = async () => {
    const { session } = await client.call("createSession", {
      body: { agent: "demo", message: DEMO },
    });
    go(`/s/${session.id}`);
  };
  return (
    <FirstVisit
      isBusy={busy !== null}
      problem={problem?.words ?? null}
      command={command}
      onDemo={() => void run("demo", startDemo)}
      onNew={onNew}
    />
  );
}
