/** The environment around a holder: what it is given, and what it looks at. */

const passedOn = ["PATH", "HOME", "TMPDIR", "LANG"];

/** Set to 1 it keeps agents out of a pid namespace, so that both ways can be tested anywhere. */
export const noNamespace = "HOLDFAST_NO_PIDNS";

/** Nothing else of the host's environment reaches a holder: secrets do not belong there. */
export function holderEnvironment(): Record<string, string> {
  const names = [...passedOn, noNamespace];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** What host and holders make is for their owner alone, whichever part of them makes it. */
export const privateUmask = 0o077;

export function namespacesAllowed(): boolean {
  return process.env[noNamespace] !== "1";
}
