/** Faults in a host's views of its sessions: the list, words, pages of events, models, policy. */

import type { Mutant } from "../mutant.ts";

const protocol = "packages/protocol/src";
const server = "packages/server/src";

export const inSessions: readonly Mutant[] = [
  {
    name: "opening-revives-all",
    what: "opening a finished session starts its agent, whatever the policy says",
    breaks: ["R004-6", "R004-46"],
    patches: [
      {
        file: `${protocol}/views.ts`,
        from: "needsResume: isDown(reason) && isWantedOnOpen(state, moment.onOpen) && workspaceOk,",
        to: "needsResume: isDown(reason),",
      },
    ],
    noticedBy: { file: `${protocol}/views.test.ts`, test: "by the policy: never with `read`" },
  },
  {
    name: "deadline-ignored",
    what: "an approval's deadline of the session's policy is ignored",
    breaks: ["R002-52"],
    patches: [
      {
        file: `${server}/session/rules/approvals.ts`,
        from: "const deadlineAt = input.deadlineAt ?? deadlineOf(at);",
        to: "const deadlineAt = input.deadlineAt;",
      },
    ],
    noticedBy: {
      file: `${server}/session/sweep.test.ts`,
      test: "a question with the policy's deadline is over then",
    },
  },
  {
    name: "followers-unseen",
    what: "a run says that nobody follows it",
    breaks: ["R003-33"],
    patches: [
      {
        file: `${server}/session/sessions.ts`,
        from: "return this.#followers.count(session);",
        to: "return session === undefined ? 1 : 0;",
      },
    ],
    noticedBy: {
      file: "test/story/ways.test.ts",
      test: "who follows, and can be changed and stopped",
    },
    long: true,
  },
  {
    name: "newest-first",
    what: "a question stands behind every newer session of the list",
    breaks: ["U15"],
    patches: [
      {
        file: `${server}/testing/memory-journal.ts`,
        from: "return b.rank - a.rank || b.updatedAt",
        to: "return b.updatedAt",
      },
    ],
    noticedBy: {
      file: `${server}/testing/memory-journal.test.ts`,
      test: "come first however many newer ones there are (200)",
    },
  },
  {
    name: "adopted-is-young",
    what: "a restart of the host makes a waiting session as young as the restart",
    breaks: ["R003-38"],
    patches: [
      {
        file: `${protocol}/fold/runs.ts`,
        from: "activeAt: run.activeAt,",
        to: "activeAt: event.ts,",
      },
    ],
    noticedBy: { file: `${protocol}/views.test.ts`, test: "keep their times" },
  },
  {
    name: "done-falls-asleep",
    what: "finished work is called paused once its agent sleeps",
    breaks: ["R001-36"],
    patches: [
      {
        file: `${protocol}/status.ts`,
        from: 'if (state.run === null) return "new";',
        to: 'if (lifecycle === "paused") return "paused";',
      },
    ],
    noticedBy: { file: `${protocol}/status.test.ts`, test: "is done when its work is" },
  },
  {
    name: "failure-needs-nobody",
    what: "a failed run, or an agent that could not start, is not told to anybody",
    breaks: ["R004-19"],
    patches: [
      {
        file: `${protocol}/status.ts`,
        from: 'const hasFailed = stopped === "failed" || recovery.reviveError !== null;',
        to: "const hasFailed = recovery === undefined;",
      },
    ],
    noticedBy: { file: `${protocol}/status.test.ts`, test: "is failed when its run failed" },
  },
  {
    name: "reply-before-its-end",
    what: "a run names its reply before that is complete",
    breaks: ["R003-19"],
    patches: [
      {
        file: `${protocol}/views.ts`,
        from: "replyId: record.outcome !== null && hasReply ? answerId(record.id) : null,",
        to: "replyId: answerId(record.id),",
      },
    ],
    noticedBy: { file: `${protocol}/views.test.ts`, test: "names its reply once" },
  },
  {
    name: "short-page",
    what: "a page of events ends where one slice of the journal does",
    breaks: ["R003-61"],
    patches: [
      {
        file: `${server}/http/handlers/history.ts`,
        from: "while (events.length < limit && bytes < ANSWER_BYTES) {",
        to: "while (events.length === 0 && bytes < ANSWER_BYTES) {",
      },
    ],
    noticedBy: {
      file: `${server}/http/handlers/history.test.ts`,
      test: "fills the requested page",
    },
  },
  {
    name: "signed-out-stays",
    what: "a device that signs itself out keeps its credential",
    breaks: ["R001-26"],
    patches: [
      {
        file: `${server}/http/handlers/access.ts`,
        from: "if (access.revokeDevice(caller, caller.id)) return { success: true };",
        to: 'if (caller.kind === "device") return { success: true };',
      },
    ],
    noticedBy: {
      file: `${server}/http/handlers/access.test.ts`,
      test: "a device signs itself out",
    },
  },
  {
    name: "model-for-nobody",
    what: "a model sent with a message is journalled and never given to the live agent",
    breaks: ["R003-25"],
    patches: [
      {
        file: `${server}/runtime/prompt-preparation.ts`,
        from: "if (model === null && !models.hasChoice) return true;",
        to: "if (models !== null) return true;",
      },
    ],
    noticedBy: { file: `${server}/runtime/settling.test.ts`, test: "reaches the live agent" },
    long: true,
  },
];
