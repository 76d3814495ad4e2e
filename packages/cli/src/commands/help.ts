import { say } from "../print.ts";

const text = `Holdfast hosts coding-agent sessions that cannot be lost.

  holdfast [serve]          start the host
    --data DIR              where everything durable lives (default ~/.holdfast)
    --port N                port on loopback (default 4860, 0 = any free one)
    --json                  one line on stdout when ready: {"ready":true,"url":…,"token":…,"bootId":…}
  holdfast backup DIR       copy the data of a stopped host into a new directory
    --data DIR, --json
  holdfast repair           rebuild a damaged journal into a new file; the old one is kept
    --data DIR, --json
  holdfast help             this

Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 130 interrupted.`;

export async function help(_args: string[]): Promise<number> {
  say(text);
  return 0;
}
