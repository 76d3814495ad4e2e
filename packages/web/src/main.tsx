import { Holdfast } from "@holdfast/client";
import { HoldfastProvider } from "@holdfast/client/react";
import { StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { App } from "./app.tsx";
import { Network } from "./network.ts";
import {
  type Credential,
  coversRights,
  deviceOf,
  hasLinkCode,
  keepCredential,
  readCredential,
  redeemLink,
  signOut,
  takeLinkCode,
  unneededLinkWords,
} from "./sign-in.ts";
import { localKeys } from "./storage.ts";
import { OtherTenant, SignedOut, UnusableLink } from "./ui/notices.tsx";
import "./styles/index.css";

async function letIn(): Promise<{ credential: Credential | null; problem: string | null }> {
  const storage = localKeys();
  const code = takeLinkCode(location, history);
  if (code === null) return { credential: readCredential(storage), problem: null };
  try {
    const { credential, session, device } = await redeemLink(location.origin, code);
    const kept = readCredential(storage);
    const known = kept === null ? null : await deviceOf(location.origin, kept);
    const isOther = known !== null && known.tenant !== device.tenant;
    // Any website can open a sign-in link here, so switching to another tenant needs consent.
    if (isOther && !(await wantsToSwitch(known.tenant, device.tenant))) {
      await signOut(location.origin, credential);
      return { credential: kept, problem: null };
    }
    const isKnown = known !== null && coversRights(known, device);
    // A browser that is signed in stays the same device, with its outbox.
    if (isKnown) await signOut(location.origin, credential);
    else keepCredential(storage, credential);
    if (session !== null) history.replaceState(null, "", `/s/${session}`);
    return { credential: isKnown ? kept : credential, problem: null };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const kept = readCredential(storage);
    if (kept === null) return { credential: null, problem };
    // A link that was already used must not sign out a device that is signed in.
    await hasRead(unneededLinkWords(error));
    return { credential: kept, problem: null };
  }
}

/** Resolves when the person has read why the link was refused. */
function hasRead(problem: string): Promise<void> {
  return new Promise((resolve) => {
    root.render(<UnusableLink problem={problem} onGoOn={resolve} />);
  });
}

function wantsToSwitch(from: string, to: string): Promise<boolean> {
  return new Promise((resolve) => {
    root.render(
      <OtherTenant
        from={from}
        to={to}
        onStay={() => resolve(false)}
        onSwitch={() => resolve(true)}
      />,
    );
  });
}

/** The longest wait in ms for the early replies, to render the session once and not twice. */
const WORTH_MS = 250;

function opened(holdfast: Holdfast): Promise<void> {
  const [, id] = /^\/s\/([^/]+)$/.exec(location.pathname) ?? [];
  if (id === undefined) return Promise.resolve();
  const store = holdfast.session(id);
  return new Promise((resolve) => {
    const go = () => {
      leave();
      resolve();
    };
    const leave = store.subscribe(() => store.getSnapshot().phase !== "opening" && go());
    setTimeout(go, WORTH_MS);
  });
}

async function show(
  root: Root,
  credential: Credential | null,
  problem: string | null,
): Promise<Holdfast | null> {
  if (credential === null) {
    root.render(<SignedOut problem={problem} />);
    return null;
  }
  const network = new Network();
  const holdfast = new Holdfast({
    url: location.origin,
    token: credential.token,
    fetch: network.fetch,
    openSocket: network.openSocket,
    outboxName: `holdfast-outbox-${credential.deviceId}`,
  });
  await opened(holdfast);
  root.render(
    <StrictMode>
      <HoldfastProvider key={credential.deviceId} holdfast={holdfast}>
        <App network={network} />
      </HoldfastProvider>
    </StrictMode>,
  );
  return holdfast;
}

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no root.");
const root = createRoot(place);
const { credential, problem } = await letIn();
let shown = await show(root, credential, problem);

/** A link pasted into an open page changes only the part behind `#`: no reload. */
async function enterAgain(): Promise<void> {
  if (!hasLinkCode(location)) return;
  const entered = await letIn();
  const before = shown;
  // A device that is signed in stays as it is after a failed link.
  if (entered.problem !== null && before !== null) return;
  shown = await show(root, entered.credential, entered.problem);
  before?.close();
}

addEventListener("hashchange", () => void enterAgain());
