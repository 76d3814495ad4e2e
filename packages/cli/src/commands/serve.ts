import { readConfig, serve as start } from "@holdfast/server";
import { readFlags } from "../flags.ts";
import { exitCodes, print, say } from "../print.ts";

export async function serve(args: string[]): Promise<number> {
  const flags = readFlags(args, 0);
  const config = readConfig(flags);
  if (!flags.json) say(`holdfast: opening ${config.data} …`);
  const serving = await start(config);
  const { host, url, token } = serving;
  // Before the ready line: whoever reads it may send the signal at once.
  const stopping = stopSignal();
  if (flags.json) print({ ready: true, url, token, bootId: host.bootId });
  else greet(url, config.data, host.recovery);
  const signal = await stopping;
  if (!flags.json) say(`holdfast: ${signal}, stopping …`);
  await serving.close();
  return exitCodes.ok;
}

function greet(
  url: string,
  data: string,
  recovery: Awaited<ReturnType<typeof start>>["host"]["recovery"],
): void {
  const { interrupted, adopted, unreachable, waiting, continued, damaged } = recovery;
  say(`holdfast: ready at ${url} (health: ${url}/health)`);
  say(`holdfast: data in ${data}; its token is in the file "token" there`);
  const counts = { interrupted, adopted, continued, waiting, unreachable, damaged };
  const found = Object.entries(counts).filter(([, sessions]) => sessions.length > 0);
  if (found.length > 0) {
    const words = found.map(([word, sessions]) => `${sessions.length} ${word}`).join(", ");
    say(`holdfast: recovered from the last life: ${words}`);
  }
  say("holdfast: it may be killed at any time; nothing acknowledged is lost. Ctrl-C stops it.");
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve(signal));
  });
}
