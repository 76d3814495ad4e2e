/** Every state that `look.md` lists, by its name in the address. */

import { endingWords } from "@holdfast/protocol";
import type { ReactNode } from "react";
import NewSession from "../src/components/list/new-session.tsx";
import { Agents } from "../src/components/settings/agents.tsx";
import KeyboardSheet from "../src/components/settings/keyboard-sheet.tsx";
import QrDialog from "../src/components/settings/qr-dialog.tsx";
import { Settings } from "../src/components/settings/settings.tsx";
import { BreakIt } from "../src/components/side-pane/break-it.tsx";
import { Changes } from "../src/components/side-pane/changes.tsx";
import { Details } from "../src/components/side-pane/details.tsx";
import { Files } from "../src/components/side-pane/files.tsx";
import { SidePane, type Tab } from "../src/components/side-pane/side-pane.tsx";
import { Timeline } from "../src/components/side-pane/timeline.tsx";
import { TerminalOutput } from "../src/content/terminal-output.tsx";
import { toldChange } from "../src/diff/change.ts";
import { emptyLine, lengthened } from "../src/line/knots.ts";
import { changesOf } from "../src/line/parts.ts";
import { NoSession } from "../src/pages/session/no-session.tsx";
import { Confirm } from "../src/ui/confirm.tsx";
import { ConnectionDot } from "../src/ui/connection-dot.tsx";
import { FirstVisit, LanNotice, OtherTenant, SignedOut, UnusableLink } from "../src/ui/notices.tsx";
import { PageFrame } from "../src/ui/page-frame.tsx";
import { Panes } from "../src/ui/panes.tsx";
import { longTimeline, terminalText } from "./big-things.ts";
import * as f from "./fixtures.ts";
import { doings, list, nothing, Pressed, screen } from "./frame.tsx";
import {
  lostFolderAsked,
  lostFolderIdle,
  lostFolderRecovering,
  lostFolderSpliced,
} from "./lost-folder.ts";
import * as s from "./stories.ts";
import * as w from "./workspace.ts";

const away = (
  <ConnectionDot
    connection={{ state: "away", reason: "the host is restarting", retryInMs: 1000 }}
    isOnline
  />
);

const newSession = {
  agents: f.agents,
  recent: ["/home/ada/harbour", "/home/ada/shop"],
  isBusy: false,
  onStart: nothing,
  onAgents: nothing,
  onPath: nothing,
  onMessage: nothing,
  onCancel: nothing,
  onClose: nothing,
};

const first = {
  isBusy: false,
  problem: null,
  command: "holdfast",
  onDemo: nothing,
  onNew: nothing,
};

const opened = (shown: s.Shown, side: ReactNode = null) => (
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
  "other-tenant": () => (
    <OtherTenant from="default" to="mallory" onStay={() => {}} onSwitch={() => {}} />
  ),
  "unusable-link": () => (
    <UnusableLink
      problem="This link was already used or has expired. You do not need a new one in this browser."
      onGoOn={() => {}}
    />
  ),
  list: () => <Panes list={list(f.sessions)} main={null} side={null} empty={screen(s.streaming)} />,
  "two-hundred-sessions": () => (
    <Panes list={list(f.manySessions)} main={null} side={null} empty={screen(s.streaming)} />
  ),
  "big-edit": () => opened(s.bigEdit),
  "wide-table": () => opened(s.wideTable),
  "right-to-left": () => opened(s.rightToLeft),
  picture: () => opened(s.pictured),
  "terminal-output": () => (
    <Panes
      list={list(f.sessions)}
      main={
        <div className="code overflow-auto p-4">
          <TerminalOutput text={terminalText} />
        </div>
      }
      side={null}
    />
  ),
  "terminal-running": () => opened(s.terminal),
  "long-timeline": () =>
    beside(
      "Timeline",
      <Timeline knots={lengthened(emptyLine, longTimeline).knots} onJump={nothing} />,
    ),
  streaming: () => opened(s.streaming),
  "tool-running": () => opened(s.toolRunning),
  done: () => opened(s.finished),
  "decision-tray": () => opened(s.deciding),
  "decision-heredoc": () => opened(s.heredoc),
  "decision-plan": () => opened(s.planAsked),
  "decision-edit": () => opened(s.edited),
  "decision-fetch": () => opened(s.fetching),
  "decision-question": () => opened(s.choosing),
  "decision-too-large": () => opened(s.tooLarge),
  "decision-agent-stopped": () => opened(s.askerGone),
  "decision-asked-again": () => opened(s.askedAgain),
  "decision-given-offline": () => opened(s.decidedOffline),
  "decision-may-have-arrived": () => opened(s.unsure),
  "decision-answered-elsewhere": () => opened(s.answered),
  "decision-denied": () => opened(s.denied),
  "decision-with-queue": () => opened({ ...s.deciding, queue: f.queued }),
  "queue-stopped": () => opened({ ...s.cancelled, queue: f.queued }),
  "queue-of-two": () => opened({ ...s.streaming, queue: f.queued }),
  "error-with-partial-text": () => opened(s.failed),
  cancelled: () => opened(s.cancelled),
  "paused-frozen": () => opened(s.frozen),
  "paused-parked": () => opened(s.parked),
  interrupted: () => opened(s.interrupted),
  "idle-folder-lost": () => opened(lostFolderIdle),
  "interrupted-folder-lost": () => opened(lostFolderAsked),
  dismissed: () => opened(s.dismissed),
  ended: () => opened(s.over),
  "ended-with-queue": () => opened({ ...s.over, queue: f.queued }),
  refused: () =>
    opened({
      ...s.finished,
      problem: "Only an interrupted or failed run can be dismissed; run run_1 is neither.",
    }),
  "message-refused": () => opened({ ...s.finished, outbox: f.refusedMessage }),
  "no-such-session": () => (
    <Panes
      list={list(f.sessions)}
      main={
        <NoSession snapshot={{ phase: "gone", refusal: null, session: null }} onList={nothing} />
      }
      side={null}
    />
  ),
  recovering: () => opened(s.recovering),
  "recovering-folder-lost": () => opened(lostFolderRecovering),
  "splice-with-receipt": () => opened(s.spliced),
  "splice-with-a-call-that-ran-again": () => opened(s.ranAgain),
  "splice-folder-lost": () => opened(lostFolderSpliced),
  "splices-in-an-answer": () => opened(s.adopted),
  "while-you-were-away": () => opened(s.away),
  "catching-up": () => opened(s.catchingUp),
  "offline-with-outbox": () => opened(s.offline),
  "host-restarting": () => (
    <Panes list={list(f.sessions, null, null, away)} main={screen(s.restarting)} side={null} />
  ),
  "list-host-away": () => (
    <Panes list={list(f.sessions, null, null, away)} main={null} side={null} />
  ),
  "ten-thousand-parts": () => opened(s.huge()),
  diff: () =>
    beside(
      "Changes",
      <Pressed what="#side-panel [aria-expanded]">
        <Changes
          changes={changesOf(s.changedParts).map((diff) => toldChange(diff, null))}
          source="told"
        />
      </Pressed>,
    ),
  changes: () =>
    beside(
      "Changes",
      <Pressed what="#side-panel li:nth-child(4) button">
        <Changes {...w.changes} />
      </Pressed>,
    ),
  "changes-none": () => beside("Changes", <Changes changes={[]} source="disk" />),
  files: () => beside("Files", <Files {...w.folder} onOpen={nothing} />),
  "file-viewer": () => beside("Files", <Files {...w.opened} onOpen={nothing} />),
  "file-binary": () => beside("Files", <Files {...w.binary} onOpen={nothing} />),
  "file-outside": () => beside("Files", <Files {...w.outside} onOpen={nothing} />),
  timeline: () =>
    beside(
      "Timeline",
      <Timeline knots={lengthened(emptyLine, s.timeline).knots} onJump={nothing} />,
    ),
  "break-it": () =>
    beside(
      "Details",
      <Details
        session={f.session({ agentName: "demo" })}
        tokens={{ input: 18_432, output: 2311 }}
        {...doings.details}
        breakIt={<BreakIt history={s.broken} onBreak={nothing} />}
      />,
    ),
  "standing-rules": () =>
    beside(
      "Details",
      <Details
        session={f.session({ isolation: "none" })}
        tokens={{ input: 18_432, output: 2311 }}
        {...doings.details}
        rules={f.rules}
      />,
    ),
  "new-session": () =>
    over(<NewSession {...newSession} draft={{ path: "", message: "" }} problem={null} />),
  "new-session-refused": () =>
    over(
      <NewSession
        {...newSession}
        draft={{ path: "/home/ada/harbor", message: "Explain the retry policy" }}
        problem={{
          words: "The workspace must be the absolute path of an existing directory.",
          field: "body.workspace.path",
        }}
      />,
    ),
  "open-on-phone": () =>
    over(
      <QrDialog
        link={{
          url: "http://harbour.local:4400/#link=lnk_7m2c9qk4x8s1v6wz",
          expiresAt: f.at(-290),
          reach: "network",
        }}
        opens="session"
        now={f.NOW}
        command="holdfast"
        problem={null}
        onClose={nothing}
      />,
    ),
  "phone-out-of-reach": () =>
    over(
      <QrDialog
        link={{
          url: "http://127.0.0.1:4400/#link=lnk_7m2c9qk4x8s1v6wz",
          expiresAt: f.at(-290),
          reach: "this-machine",
        }}
        opens="list"
        now={f.NOW}
        command="holdfast --data /srv/holdfast"
        problem={null}
        onClose={nothing}
      />,
    ),
  "end-session": () =>
    over(
      <Confirm
        title="End this session?"
        about={`The run and the agent are stopped. ${endingWords(f.queued)}`}
        verb="End session"
        doing="Ending …"
        isBusy={false}
        problem={null}
        onConfirm={nothing}
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
      empty={screen(s.finished)}
    />
  ),
};
