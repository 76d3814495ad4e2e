/** Commands that talk to a running host, and those about one of its sessions. */

import type { Client } from "@holdfast/client";
import { type Command, command, type Spec } from "./command.ts";
import { exitCodes } from "./exit.ts";
import { type Flags, type Given, hostFlags } from "./flags.ts";
import { connect } from "./host/connect.ts";
import { findSession } from "./host/sessions.ts";

type HostFlags = typeof hostFlags;
type HostSpec<F extends Flags> = Omit<Spec<F>, "flags"> & { readonly flags?: F };

/** A flag of the command itself replaces the host's flag of that name. */
type GivenWithHost<F extends Flags> = Given<Omit<HostFlags, keyof F> & F>;

/** The exit code; a command that returns nothing has succeeded. */
// biome-ignore lint/suspicious/noConfusingVoidType: most commands end without a return.
type Outcome = Promise<number | void>;

export function hostCommand<F extends Flags = HostFlags>(
  spec: HostSpec<F>,
  run: (client: Client, given: GivenWithHost<F>) => Outcome,
): Command {
  return command(
    { ...spec, flags: { ...spec.flags, ...hostFlags, ...spec.flags } },
    async (given) => {
      const code = await run(await connect(given), given as GivenWithHost<F>);
      return code ?? exitCodes.ok;
    },
  );
}

/** The first word names the session; by default it is the only word. */
export function sessionCommand<F extends Flags = HostFlags>(
  spec: HostSpec<F>,
  run: (client: Client, sessionId: string, given: GivenWithHost<F>) => Outcome,
): Command {
  const oneSession = { takes: "SESSION", words: { least: 1, most: 1 } };
  return hostCommand<F>({ ...oneSession, ...spec }, async (client, given) =>
    run(client, await findSession(client, given.words[0] ?? ""), given),
  );
}
