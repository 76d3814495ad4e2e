/** Every state that `look.md` lists, by its name in the address. */

import type { ReactNode } from "react";
import { Agents } from "../components/agents.tsx";
import { BreakIt } from "../components/break-it.tsx";
import { Changes } from "../components/changes.tsx";
import { Details } from "../components/details.tsx";
import { Files } from "../components/file-viewer.tsx";
import KeyboardSheet from "../components/keyboard-sheet.tsx";
import NewSession from "../components/new-session.tsx";
import { FirstVisit, LanNotice, SignedOut } from "../components/notices.tsx";
import { PageFrame } from "../components/page-frame.tsx";
import { Panes } from "../components/panes.tsx";
import QrDialog from "../components/qr-dialog.tsx";
import type { SessionShown } from "../components/session-screen.tsx";
import { SessionScreen } from "../components/session-screen.tsx";
import { Settings } from "../components/settings.tsx";
import { SidePane, type Tab } from "../components/side-pane.tsx";
import { Timeline } from "../components/timeline.tsx";
import { knotsOf } from "../line/knots.ts";
import { changesOf } from "../line/parts.ts";
import * as f from "./fixtures.ts";
import { doings, list, nothing, screen } from "./frame.tsx";
import * as s from "./stories.ts";

const first = { onDemo: nothing, onNew: nothing };

const opened = (shown: Partial<SessionShown>, side: ReactNode = null) => (
  <Panes list={list(f.sessions)} main={screen(shown)} side={side} />
);

const beside = (tab: Tab, children: ReactNode) =>
  opened(
    { ...s.streaming, isSideOpen: true },
    <SidePane tab={tab} counts={{ Changes: 2 }} onTab={nothing} onClose={nothing}>
      {children}
    </SidePane>,
  );

const page = (title: string, children: ReactNode) => (
  <Panes
    list={list(f.sessions)}
    main={
      <PageFrame title={title} onBack={nothing}>
        {children}
      </PageFrame>
    }
    side={null}
  />
);

const over = (layer: ReactNode) => (
  <>
    {opened(s.streaming)}
    {layer}
  </>
);

export const states: Readonly<Record<string, () => ReactNode>> = {
  "first-visit": () => (
    <Panes
      list={list([], null, <FirstVisit {...first} />)}
      main={null}
      side={null}
      empty={<FirstVisit {...first} />}
    />
  ),
  "signed-out": () => <SignedOut problem={null} />,
  list: () => <Panes list={list(f.sessions)} main={null} side={null} empty={screen(s.streaming)} />,
  streaming: () => opened(s.streaming),
  "tool-running": () => opened(s.toolRunning),
  done: () => opened(s.finished),
  "decision-tray": () => opened(s.deciding),
  "decision-answered-elsewhere": () => opened(s.answered),
  "queue-of-two": () => opened({ ...s.streaming, queue: f.queued }),
  "error-with-partial-text": () => opened(s.failed),
  cancelled: () => opened(s.cancelled),
  "paused-frozen": () => opened(s.frozen),
  "paused-parked": () => opened(s.parked),
  interrupted: () => opened(s.interrupted),
  recovering: () => opened(s.recovering),
  "splice-with-receipt": () => opened(s.spliced),
  "while-you-were-away": () => opened(s.away),
  "catching-up": () => opened(s.catchingUp),
  "offline-with-outbox": () => opened(s.offline),
  "host-restarting": () => opened(s.restarting),
  "ten-thousand-parts": () => opened(s.huge()),
  diff: () =>
    beside("Changes", <Changes changes={changesOf(s.changedParts)} open="src/auth/token.ts" />),
  "file-viewer": () => beside("Files", <Files entries={s.files} open={s.file} onOpen={nothing} />),
  timeline: () => beside("Timeline", <Timeline knots={knotsOf(s.timeline)} onJump={nothing} />),
  "break-it": () =>
    beside(
      "Details",
      <Details
        session={f.session({ agentName: "demo" })}
        tokens={{ input: 18_432, output: 2311 }}
        {...doings.details}
      >
        <BreakIt history={s.broken} onBreak={nothing} />
      </Details>,
    ),
  "new-session": () =>
    over(
      <NewSession
        agents={f.agents}
        recent={["/home/ada/harbour"]}
        problem={null}
        isBusy={false}
        onStart={nothing}
        onClose={nothing}
      />,
    ),
  "open-on-phone": () =>
    over(
      <QrDialog
        link={{
          url: "http://harbour.local:4400/#link=lnk_7m2c9qk4x8s1v6wz",
          expiresAt: f.at(-290),
        }}
        now={f.NOW}
        onClose={nothing}
      />,
    ),
  keyboard: () => over(<KeyboardSheet onClose={nothing} />),
  agents: () => page("Agents", <Agents agents={f.agents} checks={{}} onCheck={nothing} />),
  settings: () =>
    page(
      "Settings",
      <Settings
        theme="system"
        notify="off"
        devices={f.devices}
        host={{ version: "0.1.0", url: "http://127.0.0.1:4400" }}
        now={f.NOW}
        {...doings.settings}
      />,
    ),
  hostile: () => opened(s.hostile),
  "plain-http": () => (
    <Panes
      list={list(f.sessions, <LanNotice onDismiss={nothing} />)}
      main={null}
      side={null}
      empty={<SessionScreen shown={{ ...s.base, ...s.finished }} doings={doings.session} />}
    />
  ),
};
