import type { SessionSnapshot } from "@holdfast/client";
import { Button } from "../../ui/button.tsx";
import { Nothing } from "../../ui/notices.tsx";
import { missingWords } from "./missing-of.ts";

interface NoSessionProps {
  readonly snapshot: Pick<SessionSnapshot, "phase" | "refusal" | "session">;
  readonly onList: () => void;
}

export function NoSession({ snapshot, onList }: NoSessionProps) {
  const words = missingWords(snapshot);
  if (words === null) return <Nothing title="Opening …" heading="h1" />;
  return (
    <Nothing title={words.title} heading="h1">
      <p>{words.about}</p>
      <Button className="mt-4" onClick={onList}>
        All sessions
      </Button>
    </Nothing>
  );
}
