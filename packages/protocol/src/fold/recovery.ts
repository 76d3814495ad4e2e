import type { FoldsOf } from "./change.ts";

export const recoveryFolds: FoldsOf<"receipt" | "status"> = {
  "receipt.issued": (state) => ({
    ...state,
    recovery: { ...state.recovery, receipts: state.recovery.receipts + 1 },
  }),
  "status.derived": (state, event) => ({
    ...state,
    recovery: { ...state.recovery, derived: event.status, lastBootSeen: event.bootId },
  }),
};
