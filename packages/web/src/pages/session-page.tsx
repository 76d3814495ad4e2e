import type { SessionSnapshot } from "@holdfast/client";
import {
  useConnection,
  useHoldfast,
  useOutbox,
  useResume,
  useRun,
  useSession,
} from "@holdfast/client/react";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { Nothing } from "../components/notices.tsx";
import { SessionScreen, type SessionShown } from "../components/session-screen.tsx";
import { useKeys } from "../components/use-keys.ts";
import { decisionOf } from "./decision-of.ts";
import { useAnswered } from "./use-answered.ts";
import { useDraft } from "./use-draft.ts";
import { useNow } from "./use-now.ts";
import { useOnline } from "./use-online.ts";
import { useStory } from "./use-story.ts";

interface SessionPageProps {
  readonly id: string;
  readonly jump: { readonly seq: number } | null;
  readonly isSideOpen: boolean;
  readonly onSide: () => void;
  readonly onPhone: () => void;
}

export function SessionPage({ id, jump, isSideOpen, onSide, onPhone }: SessionPageProps) {
  const { client } = useHoldfast();
  const [, go] = useLocation();
  const { store, ...snapshot } = useSession(id);
  const run = useRun(id);
  const resume = useResume(id);
  const outbox = useOutbox(id);
  const connection = useConnection();
  const isOnline = useOnline();
  const answering = useAnswered(snapshot);
  const rows = useStory(id, snapshot, connection.state !== "away");
  const now = useNow(store);
  const [draft, setDraft] = useDraft(id);
  const [isContinuing, setContinuing] = useState(false);
  useSeen(snapshot, () => store.seen());
  useKeys({ d: onSide, ...(run.isRunning ? { s: () => void run.cancelRun() } : {}) });
  const { session, state, queue, phase, refusal } = snapshot;
  if (phase === "gone") return <Nothing title="This session was deleted" />;
  if (phase === "refused") return <Nothing title="The host says no">{refusal?.message}</Nothing>;
  if (session === null) return <Nothing title="Opening …" />;
  const params = { sessionId: id };
  const queued = (messageId: string) => ({ params: { sessionId: id, messageId } });
  const status = "status" in resume ? resume.status : null;
  const decision = decisionOf(snapshot);
  const shown: SessionShown = {
    ...{ session, rows, now, connection, isOnline, decision, queue, draft, jump, isSideOpen },
    answered: answering.answered,
    banner: isContinuing ? null : bannerOf(snapshot, status?.nextRung ?? null),
    recovering: isContinuing && status?.nextRung ? { trying: status.nextRung, why: null } : null,
    outbox: outbox.items,
    stop: state?.run?.cancel ? "stopping" : run.isRunning ? "can" : "none",
  };
  const ask = (work: Promise<unknown>) => void work.catch(() => undefined);
  const send = (whenBusy: "queue" | "interrupt") => {
    // The draft goes only when what it became is kept.
    ask(run.startRun(draft.trim(), { whenBusy }).then(() => setDraft("")));
  };
  return (
    <SessionScreen
      shown={shown}
      doings={{
        onBack: () => go("/"),
        onPhone,
        onSide,
        onRetry: (from) => ask(run.retryRun(from)),
        onEarlier: () => ask(store.earlier()),
        onDecide(answer, reason) {
          if (decision !== null) answering.onMine(decision.approval.id);
          ask(run.submitApproval(answer, reason));
        },
        onAnsweredSeen: answering.onSeen,
        onContinue() {
          setContinuing(true);
          const body = { mode: "continue" as const, wait: false };
          ask(client.call("resumeSession", { params, body }).finally(() => setContinuing(false)));
        },
        onDismiss: () => ask(run.dismissRun()),
        onEditQueued: (messageId, content) =>
          ask(client.call("editQueued", { ...queued(messageId), body: { content } })),
        onRemoveQueued: (messageId) => ask(client.call("removeQueued", queued(messageId))),
        onRelease: () => ask(client.call("releaseQueue", { params })),
        onRetrySend: (n) => ask(outbox.retry(n)),
        onDropSend: (n) => ask(outbox.dismiss(n)),
        onDraft: setDraft,
        onSend: () => send("queue"),
        onInterrupt: () => send("interrupt"),
        onStop: () => ask(run.cancelRun()),
      }}
    />
  );
}

function bannerOf(
  { state }: SessionSnapshot,
  nextRung: NonNullable<SessionShown["banner"]>["nextRung"],
): SessionShown["banner"] {
  const run = state?.run ?? null;
  if (run?.outcome !== "interrupted" || run.dismissed || run.interruption === null) return null;
  const at = run.endedAt ?? run.lastEventAt;
  return { reason: run.interruption, at, facts: null, nextRung, hindrance: null };
}

/** Long enough to have read the band that says what happened. */
const READ_MS = 4000;

/** What is on a visible screen has been seen. */
function useSeen({ seq, away }: SessionSnapshot, seen: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: seen again whenever there is more to see.
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && seen();
    const timer = setTimeout(look, away === null ? 0 : READ_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [seq, away]);
}
