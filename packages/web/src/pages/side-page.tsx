import { useConnection, useHoldfast, useSession } from "@holdfast/client/react";
import { useMemo, useState } from "react";
import { BreakIt } from "../components/break-it.tsx";
import { Changes } from "../components/changes.tsx";
import { Details } from "../components/details.tsx";
import { SidePane, type Tab } from "../components/side-pane.tsx";
import { Timeline } from "../components/timeline.tsx";
import { knotsOf } from "../line/knots.ts";
import { changesOf } from "../line/parts.ts";
import type { Network } from "../network.ts";
import { useBreaks } from "./use-breaks.ts";
import { useEvents } from "./use-journal.ts";

interface SidePageProps {
  readonly id: string;
  readonly network: Network;
  readonly onPhone: () => void;
  readonly onJump: (seq: number) => void;
  readonly onClose: () => void;
}

export default function SidePage({ id, network, onPhone, onJump, onClose }: SidePageProps) {
  const { client } = useHoldfast();
  const { session, messages, run, seq } = useSession(id);
  const connection = useConnection();
  const [tab, setTab] = useState<Tab>("Changes");
  const changes = useMemo(() => changesOf(messages.flatMap((m) => m.contentParts)), [messages]);
  const breaks = useBreaks({ id, network, session, connection });
  if (session === null) return null;
  const params = { sessionId: id };
  const tokens = { input: run?.inputTokens ?? 0, output: run?.outputTokens ?? 0 };
  return (
    <SidePane tab={tab} counts={{ Changes: changes.length }} onTab={setTab} onClose={onClose}>
      {tab === "Changes" && <Changes changes={changes} />}
      {tab === "Files" && (
        <p className="p-4 text-sm text-quiet">
          This host does not show files yet. They are in {session.workspace.path}.
        </p>
      )}
      {tab === "Timeline" && <TimelineTab id={id} seq={seq} onJump={onJump} />}
      {tab === "Details" && (
        <Details
          session={session}
          tokens={tokens}
          onPhone={onPhone}
          onPause={() => void client.call("pauseSession", { params })}
          onEnd={() => void client.call("endSession", { params })}
        >
          {session.agentName === "demo" && (
            <BreakIt history={breaks.history} onBreak={breaks.onBreak} />
          )}
        </Details>
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
  const events = useEvents(id, 0, seq);
  const knots = useMemo(() => knotsOf(events ?? []), [events]);
  return <Timeline knots={knots} onJump={onJump} />;
}
