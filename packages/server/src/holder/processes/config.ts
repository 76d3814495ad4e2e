/** The environment variables that a holder gets and reads. */

const passedOn = ["PATH", "HOME", "TMPDIR", "LANG"];

/** 1 keeps agents out of a pid namespace, so that tests can cover both ways anywhere. */
export const noNamespace = "HOLDFAST_NO_PIDNS";

/** A holder gets only these variables, because the host's environment may contain secrets. */
export function holderEnvironment(): Record<string, string> {
  const names = [...passedOn, noNamespace];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Files of host and holders are private to their owner. */
export const privateUmask = 0o077;

export function namespacesAllowed(): boolean {
  return process.env[noNamespace] !== "1";
}
