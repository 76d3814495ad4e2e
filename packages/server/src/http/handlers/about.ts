/** Handlers about the host itself: health, agents, metrics, API description. */

import { version } from "../../base/version.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { countingMetrics } from "./metrics.ts";
import { openApi } from "./openapi.ts";

type Names = "getHost" | "health" | "openapi" | "metrics" | "listAgents" | "checkAgent";

export function aboutHandlers(deps: HandlerDeps): HandlersOf<Names> {
  const { bootId } = deps.host;
  // Made for its first reader: it costs as much processor time as the rest of opening the server.
  let description: ReturnType<typeof openApi> | null = null;
  return {
    health: () => ({ status: "ok", bootId, version, pid: process.pid }),
    getHost: () => ({ command: deps.command }),
    openapi: () => (description ??= openApi(version)),
    metrics: countingMetrics(deps),
    checkAgent: async ({ body }) => ({ check: await deps.checkAgent(body.agent) }),
    listAgents: async () => ({ agents: [...(await deps.agents())] }),
  };
}
