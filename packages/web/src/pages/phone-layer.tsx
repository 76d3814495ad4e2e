import QrDialog from "../components/qr-dialog.tsx";
import { useAsked } from "./use-asked.ts";
import { useNow } from "./use-now.ts";

interface PhoneLayerProps {
  /** Null: the link opens the list. */
  readonly session: string | null;
  readonly onClose: () => void;
}

export default function PhoneLayer({ session, onClose }: PhoneLayerProps) {
  const body = session === null ? {} : { session };
  const link = useAsked<"createLink">(
    (host, signal) => host.call("createLink", { body, signal }),
    session,
  );
  return <QrDialog link={link} now={useNow()} onClose={onClose} />;
}
