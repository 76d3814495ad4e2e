/** Keyboard shortcuts, grouped by the place where they work. */
export const keys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Anywhere: {
    "?": "Show these keys",
    "/": "Search sessions",
    C: "New session",
    J: "Next session",
    K: "Previous session",
    G: "Open the session that needs you most",
  },
  "In a session": {
    M: "Write a message",
    S: "Stop the run",
    D: "Changes, files, timeline, details",
  },
  "When the agent asks you": {
    Y: "Allow once",
    A: "Always allow in this session",
    N: "Deny",
    R: "Deny with a reason",
  },
  "While writing": {
    Enter: "Send; during a run, queue",
    "Shift Enter": "New line",
    "Ctrl Enter": "Stop the run and send",
    Esc: "Leave the field; the draft is kept",
  },
};
