/** A client process: for each order it makes many tries at once and reports the answers. */

import { onLines } from "./socket.ts";
import { Wire } from "./wire.ts";

export interface Order {
  readonly socket: string;
  readonly session: string;
  readonly name: string;
  /** `$try` in a string becomes this client's name and the number of the try. */
  readonly input: Record<string, unknown>;
  readonly tries: number;
  /** Start time, by the clock that all processes share. */
  readonly at: number;
}

export interface Tried {
  readonly by: string;
  readonly code?: string;
  readonly value?: { readonly told: readonly unknown[]; readonly run: unknown };
  readonly unknown?: true;
}

const me = process.argv[2] ?? "client";
const CONNECTIONS = 4;

onLines(process.stdin, (line) => void carryOut(JSON.parse(line) as Order));

async function carryOut({ socket, session, name, input, tries, at }: Order): Promise<void> {
  const wires = Array.from({ length: CONNECTIONS }, () => new Wire(socket));
  await Promise.all(wires.map((wire) => wire.ask("", "newSession")));
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())));
  const tried = await Promise.all(
    Array.from({ length: tries }, async (_, i): Promise<Tried> => {
      const by = `${me}-${i}`;
      const own = JSON.parse(JSON.stringify(input).replaceAll("$try", by));
      const wire = wires[i % CONNECTIONS] as Wire;
      return { by, ...(await wire.ask(session, name, own)) } as Tried;
    }),
  );
  for (const wire of wires) wire.close();
  process.stdout.write(`${JSON.stringify(tried)}\n`);
}
