import { useHoldfast } from "@holdfast/client/react";
import { useEffect, useState } from "react";
import QrDialog, { type OneTimeLink } from "../../components/settings/qr-dialog.tsx";
import { useCommand } from "../hooks/use-command.ts";
import { useDoing } from "../hooks/use-doing.ts";
import { useNow } from "../hooks/use-now.ts";

interface PhoneLayerProps {
  /** Null: the link opens the list. */
  readonly session: string | null;
  readonly onClose: () => void;
}

export default function PhoneLayer({ session, onClose }: PhoneLayerProps) {
  const { client } = useHoldfast();
  const [link, setLink] = useState<OneTimeLink | null>(null);
  const { problem, run } = useDoing<"link">();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening creates one link.
  useEffect(() => {
    const body = session === null ? {} : { session };
    void run("link", async () => setLink(await client.call("createLink", { body })));
  }, [client, session]);
  return (
    <QrDialog
      link={link}
      opens={session === null ? "list" : "session"}
      now={useNow()}
      command={useCommand()}
      problem={problem?.words ?? null}
      onClose={onClose}
    />
  );
}
