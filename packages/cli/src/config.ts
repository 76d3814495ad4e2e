/** What the CLI takes from its surroundings. The only reader of the environment in this package. */

export interface Surroundings {
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** People who cannot see colours, or do not want to. */
  readonly plain: boolean;
}

export function surroundings(env: NodeJS.ProcessEnv = process.env): Surroundings {
  return {
    url: env.HOLDFAST_URL || undefined,
    token: env.HOLDFAST_TOKEN || undefined,
    plain: Boolean(env.NO_COLOR) || env.TERM === "dumb",
  };
}
