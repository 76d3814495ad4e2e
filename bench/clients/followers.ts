/**
 * Followers that never catch up for good: each reads the whole replay, checks its length and its
 * last frame, and connects again. In a process of its own, so that receiving is not charged to the
 * host. Counts bytes while they come; a pass is checked as a whole.
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

/** Exact after the first whole pass; before that the average line is not known. */
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
