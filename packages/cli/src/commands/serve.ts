import { type Damage, type Host, readConfig, serve as start } from "@holdfast/server";
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
  if (flags.json) await print({ ready: true, url, token, bootId: host.bootId }).catch(goOn);
  else await greet(url, config.data, host);
  const signal = await stopping;
  if (!flags.json) say(`holdfast: ${signal}, stopping …`);
  await serving.close();
  return exitCodes.ok;
}

async function greet(url: string, data: string, { recovery, journal }: Host): Promise<void> {
  const { interrupted, adopted, unreachable, waiting, continued } = recovery;
  say(`holdfast: ready at ${url} (health: ${url}/health)`);
  say(`holdfast: data in ${data}; its token is in the file "token" there`);
  const counts = { interrupted, adopted, continued, waiting, unreachable };
  const found = Object.entries(counts).filter(([, sessions]) => sessions.length > 0);
  if (found.length > 0) {
    const words = found.map(([word, sessions]) => `${sessions.length} ${word}`).join(", ");
    say(`holdfast: recovered from the last life: ${words}`);
  }
  await journal.damages().then((damages) => sayDamaged(damages, data), goOn);
  say("holdfast: it may be killed at any time; nothing acknowledged is lost. Ctrl-C stops it.");
}

/** Whatever keeps a greeting from being said must not keep the host from serving. */
function goOn(error: Error): void {
  say(`holdfast: ${error.message} It serves all the same.`);
}

const MAX_NAMED = 5;

function sayDamaged(damages: readonly Damage[], data: string): void {
  if (damages.length === 0) return;
  const names = damages.flatMap(({ session }) => session ?? []);
  const words: string[] = names.slice(0, MAX_NAMED);
  if (names.length > MAX_NAMED) words.push(`${names.length - MAX_NAMED} more`);
  const isNamed = names.length === damages.length;
  if (!isNamed) words.push("some whose names cannot be read");
  const count = isNamed ? `${names.length}` : `more than ${names.length}`;
  say(`holdfast: ${count} sessions are damaged and take no writes: ${words.join(", ")}`);
  say(`holdfast: to mend the journal, stop the host and run "holdfast repair --data ${data}"`);
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve(signal));
  });
}
