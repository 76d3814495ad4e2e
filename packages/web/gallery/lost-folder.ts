/** A session whose folder is gone: idle, interrupted, on its way back, and back. */

import { type EventBody, emptyState, statusView } from "@holdfast/protocol";
import { hindranceOf } from "../src/pages/session/allowed-actions.ts";
import { reviveProgress } from "../src/pages/session/revive-progress.ts";
import * as f from "./fixtures.ts";
import {
  brokenOff,
  type Facts,
  finished,
  interrupted,
  openReceipt,
  receipt,
  rows,
  type Shown,
  second,
  wentOn,
} from "./stories.ts";

const status = statusView(
  { ...emptyState, id: f.session().id },
  {
    epoch: 3,
    now: f.NOW,
    staleWindow: 0,
    onOpen: "needed",
    nextRung: "native",
    workspaceOk: false,
    hasLeftOut: false,
  },
);

export const lostFolderAsked: Shown = {
  ...interrupted,
  banner: {
    reason: "process_restart",
    at: f.at(260),
    nextRung: status.nextRung,
    facts: null,
    notice: hindranceOf(status),
    canContinue: status.isResumable,
  },
};

export const lostFolderIdle: Shown = {
  ...finished,
  paused: {
    is: "folder_gone",
    why: null,
    canResume: status.isResumable,
    hindrance: hindranceOf(status),
    nextRung: null,
  },
};

const lost: EventBody = { kind: "workspace.lost", what: "gone" };
const reviving: EventBody = { kind: "session.reviving", mode: "continue", epoch: 4 };
const launched: EventBody = { kind: "holder.launched", holderId: "h", epoch: 4 };

export const lostFolderRecovering: Shown = {
  ...interrupted,
  banner: null,
  sending: "start",
  recovering: reviveProgress(f.journal([3, reviving], [2, lost], [1, launched]), "native"),
};

const back: Facts = [
  ...brokenOff,
  [42, lost],
  [
    41,
    {
      ...receipt,
      kept: receipt.kept.filter((fact) => !fact.startsWith("the workspace")),
      lost: [
        "the workspace: the agent's folder was gone, with everything in it; Holdfast tells the agent with the first message it gets afterwards",
      ],
      maybeTwice: [],
      evidence: { grade: "verified", workspace: "gone" },
    },
  ],
  ...wentOn,
];

export const lostFolderSpliced: Shown = {
  rows: rows(back, { run: f.runOf({ id: second, continues: f.RUN }) }),
  openSplice: openReceipt(back),
  stop: "can",
};
