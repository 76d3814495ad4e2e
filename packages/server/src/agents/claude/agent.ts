/** The bridge's side of the protocol, and the sessions that are live in the bridge. */

import { statSync } from "node:fs";
import * as acp from "@agentclientprotocol/sdk/unstable";
import { objectAt, textOf } from "../acp/acp-shape.ts";
import type { ClaudeProcesses } from "./children.ts";
import { ClaudeSessions } from "./claude-sessions.ts";
import { claudeMcpServers } from "./mcp.ts";
import { replayOfMessages } from "./replay.ts";
import { type Beginning, idInUse, type Sdk } from "./sdk.ts";
import type { SessionRecords } from "./session-records.ts";
import { ClaudeTurn, type TurnEnd } from "./turn.ts";

interface BridgeDeps {
  readonly sdk: Sdk;
  readonly records: SessionRecords;
  readonly children: ClaudeProcesses;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trustsWorkspace: boolean;
  readonly newId: () => string;
}

interface Session {
  readonly cwd: string;
  readonly mcpServers: Readonly<Record<string, object>>;
  /** Starting point of the next turn; null when it must be read from the transcript. */
  beginning: Beginning | null;
  turn: ClaudeTurn | null;
}

interface Opening {
  readonly cwd: string;
  readonly mcpServers?: acp.McpServer[];
  readonly _meta?: unknown;
}

const { initialize, session: method } = acp.methods.agent;

export function claudeAgentApp(deps: BridgeDeps): acp.AgentApp {
  const { sdk, records, children, env, trustsWorkspace, newId } = deps;
  const known = new ClaudeSessions(sdk, records, newId);
  const sessions = new Map<string, Session>();

  function open(sessionId: string, { cwd, mcpServers = [] }: Opening, beginning: Beginning): void {
    sessions.set(sessionId, {
      cwd,
      mcpServers: claudeMcpServers(mcpServers),
      beginning,
      turn: null,
    });
  }

  async function reopen(sessionId: string, params: Opening): Promise<readonly unknown[]> {
    mustBeAtRest(sessionId);
    mustBeDirectory(params.cwd);
    const { messages, beginning } = await known.find(sessionId, placeIn(params));
    open(sessionId, params, beginning);
    return messages;
  }

  function mustBeAtRest(sessionId: string): void {
    if (!sessions.get(sessionId)?.turn) return;
    throw acp.RequestError.invalidRequest(undefined, "a turn of this session is running");
  }

  async function runTurn(
    sessionId: string,
    session: Session,
    prompt: acp.ContentBlock[],
    client: acp.AgentContext,
  ): Promise<TurnEnd> {
    const { cwd, mcpServers } = session;
    for (;;) {
      const turn = new ClaudeTurn({
        sessionId,
        cwd,
        mcpServers,
        env,
        trustsWorkspace,
        sdk,
        children,
        client,
      });
      session.turn = turn;
      const beginning = session.beginning ?? (await known.find(sessionId)).beginning;
      const end = await turn.run(prompt, beginning);
      session.beginning = nextBeginning(sessionId, beginning, end);
      if (!isIdInUse(beginning, end)) return end;
    }
  }

  return acp
    .agent({ name: "claude" })
    .onRequest(initialize, () => ({
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: "claude", title: "Claude", version: sdk.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { resume: {}, fork: {} },
      },
    }))

    .onRequest(method.new, ({ params }) => {
      mustBeDirectory(params.cwd);
      const sessionId = known.create(params.cwd);
      open(sessionId, params, { sessionId });
      return { sessionId };
    })

    .onRequest(method.load, async ({ params: { sessionId, ...params }, client }) => {
      for (const update of replayOfMessages(await reopen(sessionId, params))) {
        await client.notify(acp.methods.client.session.update, { sessionId, update });
      }
      return {};
    })

    .onRequest(method.resume, async ({ params: { sessionId, ...params } }) => {
      await reopen(sessionId, params);
      return {};
    })

    .onRequest(method.fork, async ({ params: { sessionId: source, ...params } }) => {
      mustBeAtRest(source);
      mustBeDirectory(params.cwd);
      const sessionId = await known.fork(source, params.cwd, placeIn(params));
      open(sessionId, params, (await known.find(sessionId)).beginning);
      return { sessionId };
    })

    .onRequest(method.prompt, async ({ params: { sessionId, prompt }, client, signal }) => {
      const session = sessions.get(sessionId);
      if (session === undefined) throw acp.RequestError.sessionNotFound(sessionId);
      mustBeAtRest(sessionId);
      signal.addEventListener("abort", () => session.turn?.cancel());
      try {
        return replyTo(await runTurn(sessionId, session, prompt, client));
      } finally {
        session.turn = null;
      }
    })

    .onNotification(method.cancel, ({ params: { sessionId } }) => {
      sessions.get(sessionId)?.turn?.cancel();
    });
}

function replyTo(end: TurnEnd): acp.PromptResponse {
  if (end.type === "failed") throw end.error;
  if (end.type === "cancelled") return { stopReason: "cancelled" };
  const { ended, lastMessage } = end;
  return { ...ended, _meta: { holdfast: { lastMessage } } };
}

/** The next starting point; after a failed turn the transcript must be read again. */
function nextBeginning(sessionId: string, tried: Beginning, end: TurnEnd): Beginning | null {
  if (end.type === "ended" || isIdInUse(tried, end)) return { resume: sessionId };
  // A session that was loaded at an earlier message stays there on a retry.
  const isCut = "resumeSessionAt" in tried && !("forkSession" in tried);
  return isCut ? tried : null;
}

/** An earlier process claimed the id and died before it wrote a message. */
function isIdInUse(tried: Beginning, end: TurnEnd): boolean {
  return end.type === "failed" && "sessionId" in tried && idInUse.test(end.error.message);
}

function placeIn({ _meta }: Opening): string | null {
  return textOf(objectAt(_meta, "holdfast")?.resumeSessionAt);
}

function mustBeDirectory(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw acp.RequestError.invalidParams({ cwd }, "cwd is no directory");
}
