/**
 * The durable floor of the agent path: spawns the agent, stores its lines, and sends them once
 * synced.
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { AppendFile } from "../floor.ts";
import { type Emission, emissionText } from "../streams/pace.ts";
import { answer, jobOf } from "../streams/remote.ts";
import { FloorSessions } from "./floor-sse.ts";

const MOST_UNSYNCED = 1024 * 1024;
const stub = fileURLToPath(new URL("../agents/stub.ts", import.meta.url));
const { dir } = jobOf<{ dir: string }>();
const file = new AppendFile(join(dir, "append.log"));
const sessions = new FloorSessions();
const port = await sessions.listen();
const agents: FloorAgent[] = [];

class FloorAgent {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #session: number;
  readonly #answers = new Map<number, () => void>();
  #rest = "";
  #seq = 0;
  #unsynced = 0;

  constructor(session: number) {
    this.#session = session;
    this.#child = spawn(process.execPath, [stub], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdout.setEncoding("utf8");
    this.#child.stdout.on("data", (chunk: string) => void this.#hear(chunk));
  }

  ask(id: number, method: string, params: object): Promise<void> {
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  async #hear(chunk: string): Promise<void> {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    let frames = "";
    for (const line of lines) {
      const id = /^\{"jsonrpc":"2.0","id":(\d+)/.exec(line)?.[1];
      if (id !== undefined) this.#answers.get(Number(id))?.();
      frames += `id: ${++this.#seq}\ndata: ${line}\n\n`;
    }
    if (frames === "") return;
    this.#unsynced += frames.length;
    if (this.#unsynced > MOST_UNSYNCED) this.#child.stdout.pause();
    await file.append(`${lines.join("\n")}\n`);
    this.#unsynced -= frames.length;
    this.#child.stdout.resume();
    sessions.publish(this.#session, frames);
  }
}

let lastId = 0;
answer({
  async open({ count }: { count: number }) {
    const paths = sessions.open(count);
    for (let session = 0; session < count; session++) {
      const agent = new FloorAgent(session);
      agents.push(agent);
      await agent.ask(++lastId, "initialize", { protocolVersion: 1 });
      await agent.ask(++lastId, "session/new", { cwd: dir, mcpServers: [] });
    }
    return { port, paths, headers: {} };
  },
  async emit({ session, ...emission }: Emission & { session: number }) {
    const prompt = [{ type: "text", text: emissionText(emission) }];
    await agents[session]?.ask(++lastId, "session/prompt", { sessionId: "stub-1", prompt });
  },
});
