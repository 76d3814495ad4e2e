/** The page's texts. A change of the page's wording changes one line here. */

export const buttons = {
  send: "Send",
  queue: "Queue this message",
  showQueue: "Show",
  change: "Change this message",
  takeBack: "Remove this message",
  stop: "Stop the run",
  allow: "Allow once",
  deny: "Deny",
  proceed: "Resume",
  dismiss: "Dismiss",
  retry: "Retry",
  fromHere: "Continue from here",
  newSession: "New session",
  start: "Start",
  side: "Changes, files, timeline, details",
  back: "All sessions",
  always: "Always, this session",
  why: "Deny with a reason",
  exact: "Exact input",
  leave: "Back",
  intoBox: "Move to the message box",
  settings: "Settings, agents and devices",
  revoke: "Revoke",
  signOut: "Sign out",
  rename: "Rename",
  save: "Save",
  sendNow: "Stop and send now",
  end: "End session",
  goOn: "Continue",
  closeSide: "Close",
} as const;

export const regions = {
  transcript: "Transcript",
  decision: "Decision needed",
  interrupted: "Interrupted work",
  failed: "The run failed",
  plainHttp: "Plain http",
  request: "What would run",
  banner: "What was interrupted",
  notLoaded: "Not loaded",
  rules: "Always allowed",
  name: "Name of this session",
  neverSent: "Messages never sent",
} as const;

export const said = {
  generating: "Generating…",
  lastHeard: "Working when last seen",
  paused: "Generation paused",
  cancelled: "Cancelled",
  done: "Done",
  failed: "Failed",
  interrupted: "Session was interrupted. Resume where you left off?",
  hostAway: "Host offline, reconnecting…",
  kept: "Saved on this device",
  keptAnswer: "will be sent when the host is reachable",
  allowed: "Allowed once",
  restarted: "Agent restarted",
  sending: "Sending …",
  sent: "Sent",
  whileAway: "While you were away",
  firstVisit: "No sessions yet",
  signedOut: "This device is not signed in",
  signedIn: "You are signed in already",
  plainHttp: "This page is not encrypted (plain http)",
} as const;

/** The title of the browser tab when this many sessions need a person. */
export const tabTitle = (needs: number): string => `(${needs}) Holdfast`;

/** Headings of the list. */
export const groups = {
  needsYou: "Needs you",
  stopped: "Stopped",
  working: "Working",
  new: "New",
  done: "Done",
} as const;

/** Tabs of the side pane. */
export const tabs = {
  changes: "Changes",
  files: "Files",
  timeline: "Timeline",
  details: "Details",
} as const;

export const places = { list: "/", agents: "/agents", settings: "/settings" } as const;
