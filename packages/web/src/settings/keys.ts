/** Keyboard shortcuts, grouped by the place where they work. */
export const keys = [
  {
    where: "Anywhere",
    list: [
      { key: "?", does: "This sheet" },
      { key: "/", does: "Search sessions" },
      { key: "C", does: "New session" },
      { key: "J", does: "Next session" },
      { key: "K", does: "Session before" },
      { key: "G", does: "To what needs you most" },
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
    where: "When it needs you",
    list: [
      { key: "Y", does: "Allow once" },
      { key: "A", does: "Always, for this session" },
      { key: "N", does: "Deny" },
      { key: "R", does: "Deny, saying why" },
    ],
  },
  {
    where: "While writing",
    list: [
      { key: "Enter", does: "Send, or queue behind the run" },
      { key: "Shift Enter", does: "New line" },
      { key: "Ctrl Enter", does: "Interrupt the run and send" },
      { key: "Esc", does: "Leave the field, the draft is kept" },
    ],
  },
] as const;
