/** Reads a session to its last event at full speed, and checks every line afterwards. */

import { connect } from "node:net";
import { Body } from "../streams/body.ts";
import { answer } from "../streams/remote.ts";
import type { Target } from "./stream.ts";

answer({
  async replay({ target, events }: { target: Target; events: number }) {
    const { port, path, headers } = target;
    const last = Buffer.from(`{"seq":${events},`);
    const pieces: Buffer[] = [];
    const body = new Body();
    const seen = Promise.withResolvers<number>();
    let tail = Buffer.alloc(0);
    let firstAt = 0;
    const start = performance.now();
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const said = { host: `127.0.0.1:${port}`, accept: "text/event-stream", ...headers };
    const lines = Object.entries(said).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.on("error", seen.reject);
    socket.on("close", () => seen.reject(new Error("replay: it ended before its last event")));
    socket.on("data", (chunk) => {
      body.push(chunk, (bytes) => {
        pieces.push(bytes);
        if (firstAt === 0 && bytes.includes('{"seq":1,')) firstAt = performance.now();
        const end = Buffer.concat([tail, bytes]);
        if (end.includes(last)) seen.resolve(performance.now());
        tail = end.subarray(-last.length);
      });
    });
    const ms = (await seen.promise) - start;
    socket.destroy();
    check(Buffer.concat(pieces), events);
    return { ms, firstMs: firstAt - start };
  },
});

/** Checks that every event came once and in order. Heartbeats also carry a seq, but no `ts`. */
function check(bytes: Buffer, events: number): void {
  let at = 0;
  for (let seq = 1; seq <= events; seq++) {
    const next = bytes.indexOf(',"ts":"', at);
    const line = `{"seq":${seq}`;
    if (next === -1 || bytes.toString("latin1", next - line.length, next) !== line) {
      throw new Error(`replay: event ${seq} is not where it belongs`);
    }
    at = next + 1;
  }
}
