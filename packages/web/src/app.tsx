/** Which page is shown, and what lies above it. */

import { useConnection } from "@holdfast/client/react";
import { type ReactNode, useEffect, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { Boundary } from "./components/boundary.tsx";
import { later, Nothing } from "./components/later.tsx";
import { SignedOut } from "./components/notices.tsx";
import { Panes } from "./components/panes.tsx";
import { useKeys } from "./components/use-keys.ts";
import type { Network } from "./network.ts";
import { EmptyPane } from "./pages/empty-pane.tsx";
import { ListPane } from "./pages/list-pane.tsx";
import { SessionPage } from "./pages/session-page.tsx";
import { isFileLinked } from "./pages/use-file-link.ts";
import { useLayers } from "./pages/use-layers.ts";

/** What nobody needs to see their first session: it comes when it is wanted, or the page is idle. */
const loads = {
  agents: () => import("./pages/agents-page.tsx"),
  settings: () => import("./pages/settings-page.tsx"),
  side: () => import("./pages/side-page.tsx"),
  newSession: () => import("./pages/new-session-layer.tsx"),
  phone: () => import("./pages/phone-layer.tsx"),
  keyboard: () => import("./components/keyboard-sheet.tsx"),
  diff: () => import("./diff/diff-view.tsx"),
  highlight: () => import("./markdown/highlight.tsx"),
} as const;

const AgentsPage = later(loads.agents, Nothing);
const SettingsPage = later(loads.settings, Nothing);
const SidePage = later(loads.side, Nothing);
const NewSessionLayer = later(loads.newSession, Nothing);
const PhoneLayer = later(loads.phone, Nothing);
const KeyboardSheet = later(loads.keyboard, Nothing);

/** So that all of it is there when the host is not. */
function useLoadedWhenIdle(): void {
  useEffect(() => {
    const all = () => void Promise.allSettled(Object.values(loads).map((load) => load()));
    const timer = setTimeout(all, IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
}

const IDLE_MS = 5000;

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
  useKeys({
    "?": () => put("keyboard"),
    "/": () => focusOn("input[type=search]"),
    m: () => focusOn("form textarea"),
  });
  // The rest of a sentence that lost its field must open nothing.
  useKeys({ c: () => put("new") }, { isDeliberate: true });
  if (connection.state === "unauthorized") return <SignedOut problem={connection.reason} />;
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
  // Beside the transcript it is no layer, and stays from session to session.
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
          // On a phone it lies over what was jumped to.
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
