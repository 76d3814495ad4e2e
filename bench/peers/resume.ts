/**
 * The peers that resume a session: a bare client that restarts its agent, and the host over HTTP.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@holdfast/client";
import type { Rung } from "@holdfast/protocol";
import {
  initializeParams,
  methods,
  promptParams,
} from "../../packages/server/src/agents/acp/acp.ts";
import { seedIfEmpty } from "../../packages/server/src/agents/demo/workspace.ts";
import { definitionOf, turnText } from "../agents/definitions.ts";
import { Remote } from "../streams/remote.ts";
import { BareAgent } from "./bare-agent.ts";
import { endHolders } from "./stream.ts";

export interface ResumeJob {
  readonly peer: string;
  readonly dir: string;
  readonly agent: string;
  readonly rung: Rung;
  /** Number of earlier turns: two messages and a tool call each. */
  readonly turns: number;
}

export interface Took {
  /** Time from the request, or the spawn, to the response. */
  readonly ms: number;
  /** The time that the host itself reports. */
  readonly ownMs?: number;
  /** Time until the floor's agent was initialized. */
  readonly startMs?: number;
}

export interface ResumePeer {
  /** Pauses the session, which is not measured, and resumes it. */
  resume(): Promise<Took>;
  close(): Promise<void>;
}

export function openResumePeer(job: ResumeJob): Promise<ResumePeer> {
  return job.peer === "floor" ? bare(job) : holdfast(job);
}

async function bare({ dir, agent, rung, turns }: ResumeJob): Promise<ResumePeer> {
  const [workspace, state] = [join(dir, "workspace"), join(dir, "state")];
  for (const made of [workspace, state]) mkdirSync(made);
  await seedIfEmpty(workspace, process.env.PATH ?? "");
  const spec = definitionOf(agent).launch({ workspace, state, home: null, mcpServers: [] });
  const where = { cwd: workspace, mcpServers: [] };
  let running = new BareAgent(spec);
  await running.ask(methods.initialize, initializeParams("0"));
  const { sessionId } = await running.ask<{ sessionId: string }>(methods.newSession, where);
  for (let turn = 1; turn <= turns; turn++) {
    await running.ask(methods.prompt, promptParams(sessionId, turnText(turn)));
  }
  return {
    async resume() {
      await running.end();
      const start = performance.now();
      running = new BareAgent(spec);
      await running.ask(methods.initialize, initializeParams("0"));
      const startMs = performance.now() - start;
      if (rung === "native") await running.ask(methods.loadSession, { sessionId, ...where });
      else await running.ask(methods.newSession, where);
      return { ms: performance.now() - start, startMs };
    },
    close: () => running.end(),
  };
}

async function holdfast({ dir, agent, rung, turns }: ResumeJob): Promise<ResumePeer> {
  const data = join(dir, "data");
  const host = await Remote.start("servers/holdfast.ts", { data });
  const { url, token } = await host.call<{ url: string; token: string }>("ready");
  const opening = { count: 1, agent, turns };
  const { sessions } = await host.call<{ sessions: [string] }>("open", opening);
  const params = { sessionId: sessions[0] };
  // Every resume runs git in the workspace; without its own repository git would use the project's.
  await seedIfEmpty(join(data, "workspaces", params.sessionId), process.env.PATH ?? "");
  const { call } = createClient({ url, token });
  const mode = rung === "fresh" ? "fresh" : "revive";
  return {
    async resume() {
      if (rung !== "live") {
        await call("pauseSession", { params });
        while ((await host.call<number[]>("holders")).length > 0) await sleep(5);
      }
      const start = performance.now();
      const { resume } = await call("resumeSession", { params, body: { mode } });
      const ms = performance.now() - start;
      const [came, grade] = [resume?.rung ?? "live", resume?.grade ?? null];
      if (came !== rung || (rung === "native" && grade !== "verified")) {
        throw new Error(`resume: ${came} (${grade}) came instead of ${rung}`);
      }
      return { ms, ...(resume === null ? {} : { ownMs: resume.ms }) };
    },
    async close() {
      await host.end();
      await endHolders(data);
    },
  };
}
