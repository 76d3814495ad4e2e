/**
 * The receiver of a replay, in its own process. It stores the data while the clock runs and checks
 * every frame afterwards.
 */

import { once } from "node:events";
import { connect } from "node:net";

const [, , port = "", count = ""] = process.argv;
const socket = connect(Number(port), "127.0.0.1");
await once(socket, "connect");
process.send?.("ready");
await once(process, "message");

const chunks: Buffer[] = [];
let firstAt = 0;
const start = performance.now();
socket.on("data", (chunk) => {
  if (chunks.push(chunk) === 1) firstAt = performance.now();
});
socket.write("go");
await once(socket, "end");
const ms = performance.now() - start;
check(Buffer.concat(chunks), Number(count));
process.send?.({ ms, firstMs: firstAt - start });
process.disconnect();

/** Checks that every frame came once and in order: `id: n`, `data: {"seq":n,…}`, an empty line. */
function check(bytes: Buffer, expected: number): void {
  let at = 0;
  for (let seq = 1; seq <= expected; seq++) {
    const end = bytes.indexOf("\n\n", at) + 2;
    const start = `id: ${seq}\ndata: {"seq":${seq},`;
    const frame = bytes.toString("utf8", at, end);
    if (end === 1 || !frame.startsWith(start) || frame.split("\n").length !== 4) {
      throw new Error(`replay: frame ${seq} is not whole: ${frame.slice(0, 80)}`);
    }
    at = end;
  }
  if (at !== bytes.length) throw new Error(`replay: ${bytes.length - at} bytes too many`);
}
