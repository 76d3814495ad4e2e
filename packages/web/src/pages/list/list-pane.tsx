import { useSessions } from "@holdfast/client/react";
import { Activity, useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { SessionList } from "../../components/list/session-list.tsx";
import { showCount } from "../../settings/icon.ts";
import { showNeeds } from "../../settings/tab-title.ts";
import { localKeys } from "../../storage.ts";
import { ConnectionDot } from "../../ui/connection-dot.tsx";
import { LanNotice } from "../../ui/notices.tsx";
import { useKeys } from "../../ui/use-keys.ts";
import { grouped, needing } from "../../words/grouping.ts";
import { happeningOf } from "../../words/happening.ts";
import { useConnection } from "../hooks/use-connection.ts";
import { useIsWide } from "../hooks/use-is-wide.ts";
import { useNow } from "../hooks/use-now.ts";
import { useOnline } from "../hooks/use-online.ts";
import { EmptyPane } from "./empty-pane.tsx";
import { useNotify } from "./use-notify.ts";

interface ListPaneProps {
  readonly selected: string | null;
  readonly onNew: () => void;
}

const UNDERSTOOD = "holdfast.plain-http";

export function ListPane({ selected, onNew }: ListPaneProps) {
  const [, go] = useLocation();
  const connection = useConnection();
  const isOnline = useOnline();
  const isWide = useIsWide();
  const now = useNow();
  const [search, setSearch] = useState("");
  const q = useDeferredValue(search.trim());
  const { sessions, hasMore, more, phase, needs: counted } = useSessions(q === "" ? {} : { q });
  const [isNoticed, setNoticed] = useState(
    isSecureContext || localKeys()?.getItem(UNDERSTOOD) === "1",
  );
  const items = useMemo(
    () => sessions.map((session) => ({ ...session, lastly: happeningOf(session) })),
    [sessions],
  );
  const open = useCallback((id: string) => go(`/s/${id}`), [go]);
  useNotify(phase === "ready" && q === "" ? items : null, open);
  const inOrder = grouped(sessions).flatMap((group) => group.sessions);
  const step = (by: number) => {
    const at = inOrder.findIndex(({ id }) => id === selected);
    const next = inOrder[at < 0 ? 0 : at + by];
    if (next !== undefined) go(`/s/${next.id}`);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    g: () => inOrder[0] && go(`/s/${inOrder[0].id}`),
  });
  const needs = phase === "ready" ? needing(counted) : null;
  useEffect(() => {
    if (needs === null) return;
    showNeeds(needs);
    showCount(needs);
  }, [needs]);
  const understood = () => {
    localKeys()?.setItem(UNDERSTOOD, "1");
    setNoticed(true);
  };
  // On a phone the list behind a session is rendered at low priority.
  return (
    <Activity mode={isWide || selected === null ? "visible" : "hidden"}>
      <SessionList
        sessions={items}
        now={now}
        selected={selected}
        search={search}
        hasMore={hasMore}
        aside={<ConnectionDot connection={connection} isOnline={isOnline} />}
        notice={isNoticed ? null : <LanNotice onDismiss={understood} />}
        empty={
          phase === "ready" ? (
            <div className="wide:hidden">
              <EmptyPane onNew={onNew} />
            </div>
          ) : null
        }
        onSearch={setSearch}
        onOpen={open}
        onNew={onNew}
        onSettings={() => go("/settings")}
        onMore={() => void more()}
      />
    </Activity>
  );
}
