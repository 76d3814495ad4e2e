import { type Client, type SessionSnapshot, systemTimers } from "@holdfast/client";
import { useHoldfast } from "@holdfast/client/react";
import type { WorkspaceFileView, WorkspaceFolderView } from "@holdfast/protocol";
import { useEffect, useMemo, useRef, useState } from "react";
import type { WorkspaceFacts } from "../../components/session/resume-banner.tsx";
import type { ChangesProps } from "../../components/side-pane/changes.tsx";
import { seenChange, toldChange, withWhole } from "../../diff/change.ts";
import { changesOf } from "../../line/parts.ts";
import { Refresher } from "./refresher.ts";
import { useAsked } from "./use-asked.ts";

/** The workspace's git status; null until loaded, when not wanted, and without a repository. */
export function useGitFacts(sessionId: string, isWanted: boolean): WorkspaceFacts | null {
  const options = { params: { sessionId } };
  const status = useAsked("getWorkspaceStatus", { options, key: sessionId, isWanted });
  return isWanted && status?.repository === true ? status : null;
}

interface Seen<T> {
  readonly at: string;
  readonly found: T | null;
  readonly problem: string | null;
}

interface At {
  readonly at: string;
  readonly moment: string;
  readonly isOpen: boolean;
}

/** Fetches again when `at` or `moment` changes. While closed, the last result stays. */
function useLook<T>(
  look: (host: Client, signal: AbortSignal) => Promise<T>,
  { at, moment, isOpen }: At,
): Seen<T> {
  const { client } = useHoldfast();
  const [seen, setSeen] = useState<Seen<T>>(() => nothingAt(at));
  const looking = useRef<Refresher<T> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `at` identifies the request.
  useEffect(() => {
    if (!isOpen) return;
    const mine = new Refresher<T>(
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `moment` makes a new request.
  useEffect(() => {
    looking.current?.again();
  }, [client, at, isOpen, moment]);
  return useMemo(() => (seen.at === at ? seen : nothingAt(at)), [seen, at]);
}

function nothingAt(at: string): Seen<never> {
  return { at, found: null, problem: null };
}

/** The part of a snapshot that decides what to fetch, and when to fetch it again. */
type Looked = Pick<SessionSnapshot, "session" | "messages" | "run">;

/** A key that changes when a tool call or a run ends, since files may have changed then. */
export function momentOf({ messages, run }: Pick<Looked, "messages" | "run">): string {
  let ended = 0;
  for (const { contentParts } of messages) {
    for (const part of contentParts) if (part.type === "tool" && part.status !== "running") ended++;
  }
  return `${ended} ${run?.id} ${run?.outcome}`;
}

/** The changes since HEAD, or those that the agent reported; `onWhole` loads one whole. */
export function useChanges(sessionId: string, looked: Looked, isOpen: boolean): ChangesProps {
  const { session, messages } = looked;
  const params = { sessionId };
  const moment = momentOf(looked);
  const [whole, onWhole] = useState<string | null>(null);
  const all = useLook((host, signal) => host.call("getWorkspaceDiff", { params, signal }), {
    at: sessionId,
    moment,
    isOpen,
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

/** A folder or a file of the workspace; "" is its root. */
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
