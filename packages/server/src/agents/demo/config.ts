/** The demo agent's settings, read from its environment. */

export interface DemoConfig {
  /** Directory for transcripts; null keeps them inside each workspace. */
  readonly state: string | null;
  /** Wait before each chunk, so that the output streams visibly. */
  readonly paceMs: number;
  readonly path: string;
}

/** At this pace a turn of about sixty chunks takes one second. */
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
