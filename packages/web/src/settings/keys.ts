/** Keyboard shortcuts, grouped by the place where they work. */
export const keys = [
  {
    where: "Anywhere",
    list: [
      { key: "?", does: "Show these keys" },
      { key: "/", does: "Search sessions" },
      { key: "C", does: "New session" },
      { key: "J", does: "Next session" },
      { key: "K", does: "Previous session" },
      { key: "G", does: "Open the session that needs you most" },
    ],
  },
  {
    where: "In a session",
    list: [
      { key: "M", does: "Write a message" },
      { key: "S", does: "Stop the run" },
      { key: "D", does: "Changes, files, timeline, details" },
    ],
  },
  {
    where: "When the agent asks you",
    list: [
      { key: "Y", does: "Allow once" },
      { key: "A", does: "Always allow in this session" },
      { key: "N", does: "Deny" },
      { key: "R", does: "Deny with a reason" },
    ],
  },
  {
    where: "While writing",
    list: [
      { key: "Enter", does: "Send; during a run, queue" },
      { key: "Shift Enter", does: "New line" },
      { key: "Ctrl Enter", does: "Stop the run and send" },
      { key: "Esc", does: "Leave the field; the draft is kept" },
    ],
  },
] as const;
