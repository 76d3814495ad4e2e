import { SessionScreen } from "../../components/session/session-screen.tsx";
import { SessionActionsContext } from "../../session-actions.ts";
import { NoSession } from "./no-session.tsx";
import { type SessionPageProps, useSessionModel } from "./use-session-model.ts";

export function SessionPage(props: SessionPageProps) {
  const { snapshot, shown, actions } = useSessionModel(props);
  if (shown === null) return <NoSession snapshot={snapshot} onList={actions.goToList} />;
  return (
    <SessionActionsContext value={actions}>
      <SessionScreen shown={shown} />
    </SessionActionsContext>
  );
}
