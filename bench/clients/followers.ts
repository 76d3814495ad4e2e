/**
 * Followers that read a whole replay, check its length and last frame, and reconnect. They run in
 * their own process, so that receiving is not charged to the host. Bytes are counted as they
 * arrive; each pass is checked as a whole.
 */

import { connect } from "node:net";

const [, , port = "", followers = "", events = ""] = process.argv;
const lastFrame = `id: ${events}\ndata: {"seq":${events},`;
const TAIL = 4096;
let bytesOfOnePass = 0;
let bytes = 0;

process.on("message", () => process.send?.(eventsSoFar()));
for (let i = 0; i < Number(followers); i++) follow();
process.send?.("started");

/**
 * Events received so far. An estimate until the first pass has shown the average size of a line.
 */
function eventsSoFar(): number {
  const perEvent = bytesOfOnePass === 0 ? 260 : bytesOfOnePass / Number(events);
  return Math.round(bytes / perEvent);
}

function follow(): void {
  let passed = 0;
  let tail: Buffer = Buffer.alloc(0);
  const socket = connect(Number(port), "127.0.0.1", () => socket.write("go"));
  socket.on("data", (chunk) => {
    passed += chunk.length;
    bytes += chunk.length;
    tail = chunk.length >= TAIL ? chunk : Buffer.concat([tail, chunk]).subarray(-TAIL);
  });
  socket.on("end", () => {
    if (!tail.includes(lastFrame)) throw new Error("followers: a pass ended before its last event");
    if (bytesOfOnePass !== 0 && passed !== bytesOfOnePass) {
      throw new Error(`followers: a pass of ${passed} bytes after one of ${bytesOfOnePass}`);
    }
    bytesOfOnePass = passed;
    follow();
  });
}
