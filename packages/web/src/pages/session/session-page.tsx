import { useHoldfast, useOutbox, useResume, useRun, useSession } from "@holdfast/client/react";
import { useCallback, useEffect, useMemo } from "react";
import { useLocation } from "wouter";
import { WholeContext } from "../../components/content/whole-text.tsx";
import { SessionScreen, type SessionShown } from "../../components/session/session-screen.tsx";
import { BytesContext } from "../../components/transcript/picture.tsx";
import { useKeys } from "../../components/ui/use-keys.ts";
import { withRefused } from "../../settings/drafts.ts";
import { placeStorage } from "../../settings/places.ts";
import { showName } from "../../settings/tab-title.ts";
import { useConnection } from "../hooks/use-connection.ts";
import { useDoing } from "../hooks/use-doing.ts";
import { useDraft } from "../hooks/use-draft.ts";
import { useNow } from "../hooks/use-now.ts";
import { useOnline } from "../hooks/use-online.ts";
import { useGitFacts } from "../hooks/use-workspace.ts";
import { bannerOf, canContinueDismissed, pausedOf, sendingOf, stopOf } from "./allowed-actions.ts";
import { askedLine, decisionOf } from "./decision-of.ts";
import { NoSession } from "./no-session.tsx";
import { useAnswered } from "./use-answered.ts";
import { useEarlierFor } from "./use-earlier.ts";
import { useReviveProgress } from "./use-revive-progress.ts";
import { useSeen } from "./use-seen.ts";
import { useStatus } from "./use-status.ts";
import { useStory } from "./use-story.ts";

interface SessionPageProps {
  readonly id: string;
  readonly jump: { readonly seq: number } | null;
  readonly isSideOpen: boolean;
  readonly onNew: () => void;
  readonly onSide: () => void;
  readonly onPhone: () => void;
}

export function SessionPage(props: SessionPageProps) {
  const { id, jump, isSideOpen, onNew, onSide, onPhone } = props;
  const { client } = useHoldfast();
  const [, go] = useLocation();
  const { store, ...snapshot } = useSession(id);
  const run = useRun(id);
  const resume = useResume(id);
  const outbox = useOutbox(id);
  const connection = useConnection();
  const isOnline = useOnline();
  const isHeard = connection.state !== "away";
  const answering = useAnswered(snapshot, outbox.items);
  const rows = useStory(id, snapshot, isHeard);
  const status = useStatus(id, snapshot, isHeard);
  const doing = useDoing<"once" | "wake">();
  const revive = useReviveProgress(id, snapshot, status, doing.busy === "wake");
  const now = useNow(store);
  const [draft, setDraft] = useDraft(id);
  useSeen(snapshot, store);
  const name = snapshot.session?.title ?? null;
  useEffect(() => {
    showName(name);
    return () => showName(null);
  }, [name]);
  const facts = useGitFacts(id, bannerOf(snapshot, status, null) !== null);
  const stop = stopOf(snapshot, outbox.items);
  const cancel = () => void doing.run("once", run.cancelRun);
  const places = useMemo(() => placeStorage(id), [id]);
  useEarlierFor(jump, snapshot, store);
  useKeys({ d: onSide });
  // Deliberate keys only: letters typed after the message box lost the focus must not stop the run.
  useKeys(stop === "can" ? { s: cancel } : {}, { isDeliberate: true });
  const bytes = useCallback(
    (hash: string) => client.call("getBlob", { params: { sessionId: id, hash } }),
    [client, id],
  );
  const whole = useCallback(
    async (hash: string) => new TextDecoder().decode(await bytes(hash)),
    [bytes],
  );
  const { session, queue, messages } = snapshot;
  if (session === null || snapshot.phase === "gone" || snapshot.phase === "refused") {
    return <NoSession snapshot={snapshot} onList={() => go("/")} />;
  }
  const params = { sessionId: id };
  const queued = (messageId: string) => ({ params: { sessionId: id, messageId } });
  const decision = decisionOf(snapshot, outbox.items);
  const { answered } = answering;
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
    isSideOpen,
    stop,
    recovering: revive,
    isBusy: doing.busy === "wake",
    answered: answered && { approval: answered, title: askedLine(answered, messages, path) },
    banner: banner && { ...banner, notice: banner.notice ?? refused },
    paused: paused && { ...paused, hindrance: paused.hindrance ?? refused },
    problem: doing.problem?.words ?? null,
    outbox: outbox.items,
    sending: sendingOf(snapshot, connection),
  };
  const once = (work: () => Promise<unknown>) => void doing.run("once", work);
  const wake = (mode: "revive" | "continue") =>
    void doing.run("wake", () =>
      client.call("resumeSession", { params, body: { mode, wait: false } }),
    );
  const send = (whenBusy: "queue" | "interrupt") => {
    // The draft is cleared only after its message is in the outbox.
    once(() => run.startRun(draft.trim(), { whenBusy }).then(() => setDraft("")));
  };
  return (
    <WholeContext value={whole}>
      <BytesContext value={bytes}>
        <SessionScreen
          shown={shown}
          doings={{
            onBack: () => go("/"),
            onNew,
            onPhone,
            onSide,
            onRetry: (from) => once(() => run.retryRun(from)),
            onDismissFailed: session.need?.kind === "failed" ? () => once(run.dismissRun) : null,
            onContinueDismissed: canContinueDismissed(snapshot) ? () => wake("continue") : null,
            onEarlier: () => once(() => store.earlier()),
            onDecide(answer, reason, option) {
              if (decision === null) return;
              once(() => run.submitApproval(answer, reason, decision.approval.id, option));
            },
            onAnsweredSeen: answering.onSeen,
            onProblemSeen: doing.onSeen,
            onResume: () => wake("revive"),
            onContinue: () => wake("continue"),
            onDismiss: () => once(run.dismissRun),
            onEditQueued: (messageId, content) =>
              once(() => client.call("editQueued", { ...queued(messageId), body: { content } })),
            onRemoveQueued: (messageId) =>
              once(() => client.call("removeQueued", queued(messageId))),
            onRelease: () => once(() => client.call("releaseQueue", { params })),
            onRetrySend: (n) => once(() => outbox.retry(n)),
            onEditRefused(n, text) {
              setDraft(withRefused(draft, text));
              once(() => outbox.dismiss(n));
            },
            onLetGo: (n) => once(() => outbox.dismiss(n)),
            onDraft: setDraft,
            onSend: () => send("queue"),
            onInterrupt: () => send("interrupt"),
            onStop: cancel,
          }}
        />
      </BytesContext>
    </WholeContext>
  );
}
