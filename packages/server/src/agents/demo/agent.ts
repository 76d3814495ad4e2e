/** The demo agent's side of the protocol: its sessions and its capabilities. */

import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import * as acp from "@agentclientprotocol/sdk";
import { version } from "../../base/version.ts";
import { answerPrompt } from "./answer-prompt.ts";
import type { DemoConfig } from "./config.ts";
import type { Hearing } from "./hearing.ts";
import { refuseToLoad, replay } from "./loading.ts";
import { makeStateDirectory, readLie, stateDirectory, transcriptPath } from "./state.ts";
import { Transcript, textOfPrompt } from "./transcript.ts";
import { DemoTurn } from "./turn.ts";
import { parseRequest } from "./words.ts";
import { seedIfEmpty } from "./workspace.ts";

interface Session {
  readonly cwd: string;
  readonly stateDirectory: string;
  readonly transcript: Transcript;
  turn: DemoTurn | null;
}

/** Words per chunk at normal speed; a slow turn sends single words. */
const WORDS_PER_CHUNK = 3;

const { initialize, session: method } = acp.methods.agent;

export function demoAgentApp(config: DemoConfig, hearing: Hearing): acp.AgentApp {
  const sessions = new Map<string, Session>();
  // Read before any session opens: a lie that a session sets applies to the next process.
  const lie = readLie(stateDirectory(config.state, process.cwd()));
  let loads = 0;

  function newSession(sessionId: string, cwd: string): Session {
    const directory = stateDirectory(config.state, cwd);
    makeStateDirectory(directory);
    const transcript = Transcript.create(pathOf(directory, sessionId));
    return { cwd, stateDirectory: directory, transcript, turn: null };
  }

  function loadSession(sessionId: string, cwd: string): Session {
    if (sessions.get(sessionId)?.turn) throw turnIsRunning();
    const directory = stateDirectory(config.state, cwd);
    const transcript = Transcript.load(pathOf(directory, sessionId));
    if (transcript !== null) return { cwd, stateDirectory: directory, transcript, turn: null };
    if (lie === "unknown") return newSession(sessionId, cwd);
    throw acp.RequestError.sessionNotFound(sessionId);
  }

  function open(sessionId: string, session: Session): void {
    session.transcript.append({ type: "opened", pid: process.pid, cwd: session.cwd });
    sessions.set(sessionId, session);
  }

  return acp
    .agent({ name: "demo" })
    .onRequest(initialize, () => ({
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: "demo", title: "Demo agent", version },
      agentCapabilities: { loadSession: lie !== "denies" },
    }))

    .onRequest(method.new, async ({ params: { cwd } }) => {
      mustBeDirectory(cwd);
      await seedIfEmpty(cwd, config.path);
      const sessionId = randomUUID();
      open(sessionId, newSession(sessionId, cwd));
      return { sessionId };
    })

    .onRequest(method.load, async ({ params: { sessionId, cwd }, client }) => {
      loads += 1;
      await refuseToLoad(lie, loads);
      mustBeDirectory(cwd);
      const session = loadSession(sessionId, cwd);
      await replay(client, sessionId, session.transcript.entries, lie);
      open(sessionId, session);
      return {};
    })

    .onRequest(method.prompt, async ({ params: { sessionId, prompt }, client, signal }) => {
      const session = sessions.get(sessionId);
      if (session === undefined) throw acp.RequestError.sessionNotFound(sessionId);
      if (session.turn !== null) throw turnIsRunning();
      const request = parseRequest(textOfPrompt(prompt));
      const { slow, crash, vary, vague, untold } = request.manner;
      const turn = new DemoTurn({
        ...session,
        sessionId,
        client,
        hearing,
        paceMs: slow ?? config.paceMs,
        wordsPerChunk: slow === undefined ? WORDS_PER_CHUNK : 1,
        crashAfter: crash,
        varies: vary !== undefined,
        isVague: vague !== undefined,
        isUntold: untold !== undefined,
      });
      session.turn = turn;
      signal.addEventListener("abort", () => turn.cancel());
      try {
        return await answerPrompt(turn, prompt, request);
      } finally {
        session.turn = null;
      }
    })

    .onNotification(method.cancel, ({ params: { sessionId } }) => {
      sessions.get(sessionId)?.turn?.cancel();
    });
}

function pathOf(directory: string, sessionId: string): string {
  const path = transcriptPath(directory, sessionId);
  if (path === null) throw acp.RequestError.sessionNotFound(sessionId);
  return path;
}

const turnIsRunning = (): acp.RequestError =>
  acp.RequestError.invalidRequest(undefined, "a turn of this session is running");

function mustBeDirectory(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw acp.RequestError.invalidParams({ cwd }, "cwd is no directory");
}
