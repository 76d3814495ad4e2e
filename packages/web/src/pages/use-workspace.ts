/** What the host sees of a session's workspace. */

import { type Client, type SessionSnapshot, systemTimers } from "@holdfast/client";
import { useHoldfast } from "@holdfast/client/react";
import type { WorkspaceFileView, WorkspaceFolderView } from "@holdfast/protocol";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ChangesProps } from "../components/changes.tsx";
import type { WorkspaceFacts } from "../components/resume-banner.tsx";
import { seenChange, toldChange, withWhole } from "../diff/change.ts";
import { changesOf } from "../line/parts.ts";
import { Looking } from "./looking.ts";
import { useAsked } from "./use-asked.ts";

const unasked = { repository: false, branch: null, head: null, dirty: [], diffStat: "" };

/** What git says of it; null until that is known, where nobody wants it, and without a repository. */
export function useGitFacts(sessionId: string, isWanted: boolean): WorkspaceFacts | null {
  const status = useAsked<"getWorkspaceStatus">(
    async (host, signal) =>
      isWanted ? host.call("getWorkspaceStatus", { params: { sessionId }, signal }) : unasked,
    `${sessionId} ${isWanted}`,
  );
  return isWanted && status?.repository === true ? status : null;
}

interface Seen<T> {
  /** What was seen last, and at which place. */
  readonly at: string;
  readonly found: T | null;
  /** Why nothing is seen, in the host's words. */
  readonly problem: string | null;
}

interface At {
  readonly at: string;
  readonly moment: string;
  readonly isOpen: boolean;
}

/** Looks again when the place or the moment is another one; while nobody looks, what was seen stays. */
function useLook<T>(
  look: (host: Client, signal: AbortSignal) => Promise<T>,
  { at, moment, isOpen }: At,
): Seen<T> {
  const { client } = useHoldfast();
  const [seen, setSeen] = useState<Seen<T>>(() => nothingAt(at));
  const looking = useRef<Looking<T> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the look is told apart by its place.
  useEffect(() => {
    if (!isOpen) return;
    const mine = new Looking<T>(
      {
        ask: (signal) => look(client, signal),
        onFound: (found) => setSeen({ at, found, problem: null }),
        onProblem: (problem) => setSeen({ at, found: null, problem }),
      },
      systemTimers,
    );
    looking.current = mine;
    return () => {
      mine.close();
      looking.current = null;
    };
  }, [client, at, isOpen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another moment is another look.
  useEffect(() => looking.current?.again(), [client, at, isOpen, moment]);
  return useMemo(() => (seen.at === at ? seen : nothingAt(at)), [seen, at]);
}

function nothingAt(at: string): Seen<never> {
  return { at, found: null, problem: null };
}

/** What of a session's snapshot says where to look, and when again. */
type Looked = Pick<SessionSnapshot, "session" | "messages" | "run">;

/** Files may be other ones when a call has ended, or a run. */
export function momentOf({ messages, run }: Pick<Looked, "messages" | "run">): string {
  let ended = 0;
  for (const { contentParts } of messages) {
    for (const part of contentParts) if (part.type === "tool" && part.status !== "running") ended++;
  }
  return `${ended} ${run?.id} ${run?.outcome}`;
}

/** What differs from HEAD; without a repository what the agent told. Whoever reads on gets all of it. */
export function useChanges(sessionId: string, looked: Looked, isOpen: boolean): ChangesProps {
  const { session, messages } = looked;
  const params = { sessionId };
  const moment = momentOf(looked);
  const [whole, onWhole] = useState<string | null>(null);
  const all = useLook((host, signal) => host.call("getWorkspaceDiff", { params, signal }), {
    ...{ at: sessionId, moment, isOpen },
  });
  const one = useLook(
    (host, signal) =>
      host.call("getWorkspaceDiff", { params, query: { path: whole ?? "" }, signal }),
    { at: `${sessionId} ${whole}`, moment, isOpen: isOpen && whole !== null },
  );
  const root = session?.workspace.path ?? null;
  return useMemo(() => {
    const { found, problem } = all;
    if (found?.repository === true) {
      const changes = withWhole(found.files, one.found?.files ?? []).map(seenChange);
      return { changes, source: "disk", problem, truncated: found.truncated, onWhole };
    }
    const told = changesOf(messages.flatMap((message) => message.contentParts));
    return { changes: told.map((diffs) => toldChange(diffs, root)), source: "told", problem };
  }, [all, one, messages, root]);
}

/** A folder or a file, by its path; "" is the workspace itself. */
export function useFiles(
  sessionId: string,
  path: string,
  looked: Looked,
  isOpen: boolean,
): Seen<WorkspaceFolderView | WorkspaceFileView> {
  return useLook<WorkspaceFolderView | WorkspaceFileView>(
    (host, signal) =>
      path === ""
        ? host.call("listFiles", { params: { sessionId }, signal })
        : host.call("readFile", { params: { sessionId, path }, signal }),
    { at: `${sessionId} ${path}`, moment: momentOf(looked), isOpen },
  );
}
