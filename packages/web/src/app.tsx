/** The page of the current address, and the layers above it. */

import type { Connection } from "@holdfast/client";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { reloadIfOlder, thisPage } from "./fresh-page.ts";
import type { Network } from "./network.ts";
import { useConnection } from "./pages/hooks/use-connection.ts";
import { useLayers } from "./pages/hooks/use-layers.ts";
import { EmptyPane } from "./pages/list/empty-pane.tsx";
import { ListPane } from "./pages/list/list-pane.tsx";
import { SessionPage } from "./pages/session/session-page.tsx";
import { isFileLinked } from "./pages/side-pane/use-file-link.ts";
import { Boundary } from "./ui/boundary.tsx";
import { LateLayer, LatePane } from "./ui/late-parts.tsx";
import { later } from "./ui/later.tsx";
import { SignedOut } from "./ui/notices.tsx";
import { Panes } from "./ui/panes.tsx";
import { useKeys } from "./ui/use-keys.ts";

/** Code that the first view of a session does not need, loaded on first use or when idle. */
const loads = {
  agents: () => import("./pages/settings/agents-page.tsx"),
  settings: () => import("./pages/settings/settings-page.tsx"),
  side: () => import("./pages/side-pane/side-page.tsx"),
  newSession: () => import("./pages/list/new-session-layer.tsx"),
  phone: () => import("./pages/settings/phone-layer.tsx"),
  keyboard: () => import("./components/settings/keyboard-sheet.tsx"),
  diff: () => import("./diff/diff-view.tsx"),
  highlight: () => import("./markdown/highlight.tsx"),
} as const;

const AgentsPage = later({ load: loads.agents, Meanwhile: LatePane, name: "agents" });
const SettingsPage = later({ load: loads.settings, Meanwhile: LatePane, name: "settings" });
const SidePage = later({ load: loads.side, Meanwhile: LatePane, name: "side" });
const NewSessionLayer = later({ load: loads.newSession, Meanwhile: LateLayer, name: "new" });
const PhoneLayer = later({ load: loads.phone, Meanwhile: LateLayer, name: "phone" });
const KeyboardSheet = later({ load: loads.keyboard, Meanwhile: LateLayer, name: "keyboard" });

/** Loads all code when idle, so that it is available while the host is offline. */
function useLoadedWhenIdle(): void {
  useEffect(() => {
    const all = () => void Promise.allSettled(Object.values(loads).map((load) => load()));
    const timer = setTimeout(all, IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
}

const IDLE_MS = 5000;

const lockedOut =
  "This device was signed out, here or from another device. Sessions keep running. To sign in again, make a new link:";

/** Checks for a newer page after the host was offline, because the host may have been upgraded. */
function useFreshPage(state: Connection["state"]): void {
  const wasAway = useRef(false);
  useEffect(() => {
    if (state === "away") wasAway.current = true;
    if (state !== "live" || !wasAway.current) return;
    wasAway.current = false;
    void reloadIfOlder(thisPage());
  }, [state]);
}

export function App({ network }: { readonly network: Network }) {
  const connection = useConnection();
  const [path, go] = useLocation();
  const [isSession, params] = useRoute("/s/:id");
  const [isSettings] = useRoute("/settings");
  const [isAgents] = useRoute("/agents");
  const { dialog, isSide, put, back, leaveSide, isCovering } = useLayers();
  const [isBeside, setBeside] = useState(() => isFileLinked(location.search));
  const [jump, setJump] = useState<{ readonly seq: number } | null>(null);
  const id = isSession ? params.id : null;
  useLoadedWhenIdle();
  useFreshPage(connection.state);
  useKeys({
    "?": () => put("keyboard"),
    "/": () => focusOn("input[type=search]"),
    m: () => focusOn("form textarea"),
  });
  // Deliberate keys only: letters typed after the message box lost the focus must not open a layer.
  useKeys({ c: () => put("new") }, { isDeliberate: true });
  if (connection.state === "unauthorized") return <SignedOut problem={lockedOut} />;
  const open = {
    onNew: () => put("new"),
    onPhone: () => put("phone"),
    onKeyboard: () => put("keyboard"),
  };
  const isSideOpen = isBeside || isSide;
  const closeSide = () => {
    setBeside(false);
    if (isSide) leaveSide();
  };
  // Beside the transcript the side pane is not a layer, and stays open from session to session.
  const openSide = () => (isCovering() ? put("side") : setBeside(true));
  let main: ReactNode = null;
  if (id !== null) {
    main = (
      <SessionPage
        key={id}
        id={id}
        jump={jump}
        isSideOpen={isSideOpen}
        onNew={open.onNew}
        onSide={isSideOpen ? closeSide : openSide}
        onPhone={open.onPhone}
      />
    );
  }
  if (isSettings) main = <SettingsPage onKeyboard={open.onKeyboard} onLink={open.onPhone} />;
  if (isAgents) main = <AgentsPage />;
  const side =
    id === null || !isSideOpen ? null : (
      <SidePage
        key={id}
        id={id}
        network={network}
        onPhone={open.onPhone}
        onJump={(seq) => {
          setJump({ seq });
          // A side pane that covers the transcript is closed by a jump.
          if (isCovering()) closeSide();
        }}
        onClose={closeSide}
      />
    );
  return (
    <>
      <Panes
        list={
          <Boundary>
            <ListPane selected={id} onNew={open.onNew} />
          </Boundary>
        }
        main={main === null ? null : <Boundary key={path}>{main}</Boundary>}
        side={side === null ? null : <Boundary key={path}>{side}</Boundary>}
        empty={<EmptyPane onNew={open.onNew} />}
      />
      {dialog === "new" && (
        <NewSessionLayer
          onClose={back}
          onStarted={(session) => go(`/s/${session}`, { replace: true })}
          onAgents={() => go("/agents", { replace: true })}
        />
      )}
      {dialog === "phone" && <PhoneLayer session={id} onClose={back} />}
      {dialog === "keyboard" && <KeyboardSheet onClose={back} />}
    </>
  );
}

function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}
