/** Faults around loading that the demo agent can imitate; each was seen in a real agent. */

export const lies = {
  denies: "says that it cannot load sessions, though it can",
  unknown: "takes an id that it never gave out, and starts empty",
  capability: "says that it can load sessions, and does not know the method",
  params: "finds something wrong with what it is asked to load",
  auth: "wants its user to log in before it loads anything",
  error: "fails every load for a reason that nobody knows",
  flaky: "fails its first load like that, and no other",
  dies: "ends in the middle of its replay",
  hangs: "never answers a load",
  empty: "loads, and replays nothing",
  late: "replays only after it has said that the session is loaded",
  warns: "ends its replay with a warning of its own",
  none: "tells the truth again",
} as const;

export type Lie = keyof typeof lies;
