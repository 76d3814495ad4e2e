/** The handlers of all routes that are not streams, one file per noun. */

import type { HandlerDeps } from "../request/deps.ts";
import type { Handlers } from "../request/handler.ts";
import { aboutHandlers } from "./about.ts";
import { accessHandlers } from "./access.ts";
import { approvalHandlers } from "./approvals.ts";
import { blobHandlers } from "./blobs.ts";
import { createHandlers } from "./create.ts";
import { historyHandlers } from "./history.ts";
import { messageHandlers } from "./messages.ts";
import { queueHandlers } from "./queue.ts";
import { runHandlers } from "./runs.ts";
import { runtimeHandlers } from "./runtime.ts";
import { sessionHandlers } from "./sessions.ts";
import { workspaceHandlers } from "./workspace.ts";

export function handlersOf(deps: HandlerDeps): Handlers {
  return {
    ...aboutHandlers(deps),
    ...accessHandlers(deps),
    ...createHandlers(deps),
    ...sessionHandlers(deps),
    ...runtimeHandlers(deps),
    ...messageHandlers(deps),
    ...queueHandlers(deps),
    ...historyHandlers(deps),
    ...blobHandlers(deps),
    ...workspaceHandlers(deps),
    ...runHandlers(deps),
    ...approvalHandlers(deps),
  };
}
