/** What the environment tells the demo agent. */

export interface DemoConfig {
  /** Where transcripts go; null keeps them inside each workspace. */
  readonly state: string | null;
  /** The wait before each chunk, so that a stream looks like one. */
  readonly paceMs: number;
  /** Where git is looked for. */
  readonly path: string;
}

/** About sixty chunks of a turn then take one second. */
const DEFAULT_PACE_MS = 15;

export function readDemoConfig(env: NodeJS.ProcessEnv = process.env): DemoConfig {
  const pace = env.HOLDFAST_DEMO_PACE_MS;
  if (pace !== undefined && !/^\d{1,6}$/.test(pace)) {
    throw new Error(`HOLDFAST_DEMO_PACE_MS must be a number of milliseconds, not "${pace}".`);
  }
  return {
    state: env.HOLDFAST_AGENT_STATE || null,
    paceMs: pace === undefined ? DEFAULT_PACE_MS : Number(pace),
    path: env.PATH ?? "/usr/bin:/bin",
  };
}
