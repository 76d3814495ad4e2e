/** The model of a session's page: all that its screen draws, and the person's actions. */

import type { SessionSnapshot } from "@holdfast/client";
import { useHoldfast, useOutbox, useResume, useRun, useSession } from "@holdfast/client/react";
import { useEffect, useMemo } from "react";
import { useLocation } from "wouter";
import type { SessionShown } from "../../components/session/session-screen.tsx";
import type { SessionActions } from "../../session-actions.ts";
import { editStorage, withText } from "../../settings/drafts.ts";
import { placeStorage } from "../../settings/places.ts";
import { showName } from "../../settings/tab-title.ts";
import { useKeys } from "../../ui/use-keys.ts";
import { useConnection } from "../hooks/use-connection.ts";
import { useDoing } from "../hooks/use-doing.ts";
import { useDraft } from "../hooks/use-draft.ts";
import { useLatest } from "../hooks/use-latest.ts";
import { useNow } from "../hooks/use-now.ts";
import { useOnline } from "../hooks/use-online.ts";
import { useGitFacts } from "../hooks/use-workspace.ts";
import { bannerOf, pausedOf, sendingOf, stopOf } from "./allowed-actions.ts";
import { askedLine, decisionOf } from "./decision-of.ts";
import { useAnswered } from "./use-answered.ts";
import { useEarlierFor } from "./use-earlier.ts";
import { useReviveProgress } from "./use-revive-progress.ts";
import { useSeen } from "./use-seen.ts";
import { useStatus } from "./use-status.ts";
import { useStory } from "./use-story.ts";

export interface SessionPageProps {
  readonly id: string;
  readonly jump: { readonly seq: number } | null;
  readonly isSideOpen: boolean;
  readonly onNew: () => void;
  readonly onSide: () => void;
  readonly onPhone: () => void;
}

interface SessionModel {
  readonly snapshot: SessionSnapshot;
  readonly shown: SessionShown | null;
  readonly actions: SessionActions;
}

export function useSessionModel(props: SessionPageProps): SessionModel {
  const { id, jump, isSideOpen } = props;
  const { client } = useHoldfast();
  const [, go] = useLocation();
  const { store, ...snapshot } = useSession(id);
  const { session, queue, messages } = snapshot;
  const run = useRun(id);
  const resume = useResume(id);
  const outbox = useOutbox(id);
  const connection = useConnection();
  const isOnline = useOnline();
  const isHeard = connection.state !== "away";
  const { answered, keepReason, onSeen: dismissAnswered } = useAnswered(snapshot, outbox.items);
  const rows = useStory(id, snapshot, isHeard);
  const status = useStatus(id, snapshot, isHeard);
  const doing = useDoing<"once" | "wake">();
  const isWaking = doing.busy === "wake";
  const recovering = useReviveProgress(id, snapshot, status, isWaking);
  const now = useNow(store);
  const [draft, setDraft] = useDraft(id);
  const places = useMemo(() => placeStorage(id), [id]);
  const edits = useMemo(() => editStorage(id), [id]);
  const facts = useGitFacts(id, bannerOf(snapshot, status, null) !== null);
  const decision = decisionOf(snapshot, outbox.items);
  const stop = stopOf(snapshot, outbox.items);
  useSeen(snapshot, store);
  useName(session?.title ?? null);
  useEarlierFor(jump, snapshot, store);

  const params = { sessionId: id };
  const addToDraft = (text: string) => setDraft(withText(draft, text));
  const once = (work: () => Promise<unknown>) => void doing.run("once", work);
  const wake = (mode: "revive" | "continue") =>
    void doing.run("wake", () =>
      client.call("resumeSession", { params, body: { mode, wait: false } }),
    );
  const actions = useLatest<SessionActions>({
    goToList: () => go("/"),
    openNew: props.onNew,
    openPhone: props.onPhone,
    toggleSide: props.onSide,
    loadEarlier: () => once(() => store.earlier()),
    readBlob: (hash) => client.call("getBlob", { params: { ...params, hash } }),
    setDraft,
    addToDraft,
    // The draft is cleared only after its message is in the outbox.
    send: (whenBusy) =>
      once(() => run.startRun(draft.trim(), { whenBusy }).then(() => setDraft(""))),
    stop: () => once(run.cancelRun),
    decide: (answer, reason, option) =>
      once(() => run.submitApproval(answer, reason, decision?.approval.id, option)),
    keepReason,
    dismissAnswered,
    dismissProblem: doing.onSeen,
    resume: () => wake("revive"),
    continueRun: () => wake("continue"),
    retryRun: (from) => once(() => run.retryRun(from)),
    dismissRun: () => once(run.dismissRun),
    editQueued: (messageId, content) =>
      once(() =>
        client.call("editQueued", { params: { ...params, messageId }, body: { content } }),
      ),
    removeQueued: (messageId) =>
      once(() => client.call("removeQueued", { params: { ...params, messageId } })),
    releaseQueue: () => once(() => client.call("releaseQueue", { params })),
    retryItem: (n) => once(() => outbox.retry(n)),
    editItem(n, text) {
      addToDraft(text);
      once(() => outbox.dismiss(n));
    },
    dismissItem: (n) => once(() => outbox.dismiss(n)),
  });
  useKeys({ d: actions.toggleSide });
  // Deliberate keys only: letters typed after the message box lost the focus must not stop the run.
  useKeys(stop === "can" ? { s: actions.stop } : {}, { isDeliberate: true });

  if (session === null || snapshot.phase === "gone" || snapshot.phase === "refused") {
    return { snapshot, shown: null, actions };
  }
  const refused = resume.state === "refused" ? resume.message : null;
  const banner = bannerOf(snapshot, status, facts);
  const paused = pausedOf(snapshot, status);
  const { path } = session.workspace;
  const shown: SessionShown = {
    session,
    rows,
    now,
    connection,
    isOnline,
    decision,
    queue,
    draft,
    jump,
    places,
    edits,
    isSideOpen,
    stop,
    recovering,
    isBusy: isWaking,
    answered: answered && { ...answered, title: askedLine(answered.approval, messages, path) },
    banner: banner && { ...banner, notice: banner.notice ?? refused },
    paused: paused && { ...paused, hindrance: paused.hindrance ?? refused },
    problem: doing.problem?.words ?? null,
    outbox: outbox.items,
    sending: sendingOf(snapshot, connection),
  };
  return { snapshot, shown, actions };
}

function useName(name: string | null): void {
  useEffect(() => {
    showName(name);
    return () => showName(null);
  }, [name]);
}
