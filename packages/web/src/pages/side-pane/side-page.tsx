import { useHoldfast, useSession } from "@holdfast/client/react";
import { useState } from "react";
import { BreakIt } from "../../components/side-pane/break-it.tsx";
import { Changes } from "../../components/side-pane/changes.tsx";
import { Details, type SessionAct } from "../../components/side-pane/details.tsx";
import { Files } from "../../components/side-pane/files.tsx";
import { SidePane, type Tab } from "../../components/side-pane/side-pane.tsx";
import { Timeline } from "../../components/side-pane/timeline.tsx";
import type { Network } from "../../network.ts";
import { useConnection } from "../hooks/use-connection.ts";
import { useDoing } from "../hooks/use-doing.ts";
import { useKnots } from "../hooks/use-journal.ts";
import { useChanges, useFiles } from "../hooks/use-workspace.ts";
import { useBreaks } from "./use-breaks.ts";
import { useFileLink } from "./use-file-link.ts";

interface SidePageProps {
  readonly id: string;
  readonly network: Network;
  readonly onPhone: () => void;
  readonly onJump: (seq: number) => void;
  readonly onClose: () => void;
}

export default function SidePage({ id, network, onPhone, onJump, onClose }: SidePageProps) {
  const { client } = useHoldfast();
  const snapshot = useSession(id);
  const { session, run, seq } = snapshot;
  const connection = useConnection();
  const [file, onFile] = useFileLink();
  const [tab, setTab] = useState<Tab>(file === null ? "Changes" : "Files");
  const changes = useChanges(id, snapshot, tab === "Changes");
  const { found, problem: unseen } = useFiles(id, file ?? "", snapshot, tab === "Files");
  const breaks = useBreaks({ id, network, snapshot, connection });
  const { busy, problem, run: ask, onSeen } = useDoing<SessionAct>();
  if (session === null) return null;
  const params = { sessionId: id };
  const tokens = { input: run?.inputTokens ?? 0, output: run?.outputTokens ?? 0 };
  return (
    <SidePane
      tab={tab}
      counts={{ Changes: changes.changes.length }}
      onTab={setTab}
      onClose={onClose}
    >
      {tab === "Changes" && <Changes {...changes} />}
      {tab === "Files" && (
        <Files path={file ?? ""} found={found} problem={unseen} onOpen={onFile} />
      )}
      {tab === "Timeline" && <TimelineTab id={id} seq={seq} onJump={onJump} />}
      {tab === "Details" && (
        <Details
          session={session}
          queue={snapshot.queue}
          tokens={tokens}
          onPhone={onPhone}
          busy={busy}
          problem={problem}
          onPause={() => void ask("pause", () => client.call("pauseSession", { params }))}
          onWake={() => void ask("wake", () => client.call("resumeSession", { params }))}
          onEnd={() => void ask("end", () => client.call("endSession", { params }))}
          onSeen={onSeen}
          rules={snapshot.state?.rules ?? []}
          onRename={(title) =>
            void ask("rename", () => client.call("updateSession", { params, body: { title } }))
          }
          onRevokeRule={(ruleId) =>
            void ask("rule", () => client.call("revokeRule", { params: { ...params, ruleId } }))
          }
          breakIt={
            session.agentName === "demo" ? (
              <BreakIt history={breaks.history} onBreak={breaks.onBreak} />
            ) : null
          }
        />
      )}
    </SidePane>
  );
}

interface TimelineTabProps {
  readonly id: string;
  readonly seq: number;
  readonly onJump: (seq: number) => void;
}

function TimelineTab({ id, seq, onJump }: TimelineTabProps) {
  return <Timeline knots={useKnots(id, seq)} onJump={onJump} />;
}
