/** The server of sandbox-agent, with our agent in place of its mock. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Emission, emissionText } from "../streams/pace.ts";
import { peerFolder } from "./packages.ts";
import type { StreamJob, StreamPeer } from "./stream.ts";

const binary = join(peerFolder, "@sandbox-agent/cli-linux-x64/bin/sandbox-agent");
const stub = fileURLToPath(new URL("../agents/stub.ts", import.meta.url));

export async function openSandboxAgent({ dir, sessions }: StreamJob): Promise<StreamPeer> {
  const agents = join(dir, "sandbox-agent/bin/agent_processes");
  mkdirSync(agents, { recursive: true });
  const script = `#!/bin/sh\nexec "${process.execPath}" "${stub}"\n`;
  writeFileSync(join(agents, "mock-acp"), script, { mode: 0o755 });
  // Packages are installed without their scripts; theirs would only set this mode.
  chmodSync(binary, 0o755);
  const port = await freePort();
  const flags = ["server", "--no-token", "--no-telemetry", "-H", "127.0.0.1", "-p", String(port)];
  const env = { PATH: process.env.PATH ?? "", HOME: dir, XDG_DATA_HOME: dir };
  const server = spawn(binary, flags, { env, cwd: dir, stdio: "ignore" });
  const url = `http://127.0.0.1:${port}/v1/acp`;
  await answering(`http://127.0.0.1:${port}/v1/health`, () => server.exitCode);
  let lastId = 0;
  const ask = async (path: string, method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
    const headers = { "content-type": "application/json", accept: "application/json" };
    const response = await fetch(`${url}/${path}`, { method: "POST", headers, body });
    const said = await response.text();
    if (!response.ok)
      throw new Error(`sandbox-agent: ${method} answers ${response.status} ${said}`);
    return JSON.parse(said) as { result?: { sessionId?: string } };
  };
  const known: string[] = [];
  for (let i = 0; i < sessions; i++) {
    await ask(`bench-${i}?agent=mock`, "initialize", {
      protocolVersion: 1,
      clientCapabilities: {},
    });
    const made = await ask(`bench-${i}`, "session/new", { cwd: dir, mcpServers: [] });
    known.push(made.result?.sessionId ?? "");
  }
  return {
    targets: known.map((_, i) => ({ port, path: `/v1/acp/bench-${i}`, headers: {} })),
    pids: [server.pid ?? 0],
    async emit(session: number, emission: Emission) {
      const prompt = [{ type: "text", text: emissionText(emission) }];
      // The response comes at the end of the turn, which the followers see themselves.
      void ask(`bench-${session}`, "session/prompt", { sessionId: known[session], prompt }).catch(
        () => undefined,
      );
      return 0;
    },
    async close() {
      const exited = once(server, "exit");
      server.kill("SIGTERM");
      const stuck = setTimeout(() => server.kill("SIGKILL"), 3000);
      await exited;
      clearTimeout(stuck);
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

async function answering(url: string, exited: () => number | null): Promise<void> {
  for (let i = 0; i < 500; i++) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    if (exited() !== null) break;
    await sleep(20);
  }
  throw new Error("sandbox-agent does not answer");
}
