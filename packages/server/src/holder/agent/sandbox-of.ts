/** The sandbox that a launch asks for: bubblewrap in the given shape, or a bare process. */

import { bubblewrapSandboxes, processSandboxes } from "../../sandboxes/local-sandboxes.ts";
import type { Sandboxes } from "../../sandboxes/sandbox.ts";
import type { Shape } from "../../sandboxes/shape.ts";
import { findHolderProcesses, markName } from "../processes/holder-processes.ts";
import type { LaunchSpec } from "../spool/frames.ts";

interface AgentSandbox {
  readonly sandboxes: Sandboxes;
  readonly shape: Shape;
  readonly isBoundary: boolean;
}

export function sandboxOf({ sandbox, cwd, env }: LaunchSpec): AgentSandbox {
  if (sandbox !== undefined) {
    const { machine, shape } = sandbox;
    const sandboxes = bubblewrapSandboxes(null, machine);
    return { sandboxes, shape: marked(shape), isBoundary: true };
  }
  const sandboxes = processSandboxes({
    cgroups: null,
    findProcesses: (holderId, leaders) => findHolderProcesses({ holderId, leaders }),
  });
  return { sandboxes, shape: marked(bareShape(cwd, Object.keys(env))), isBoundary: false };
}

/** The holder's mark must reach the processes, so that they can be found after it died. */
function marked(shape: Shape): Shape {
  return { ...shape, environment: [...shape.environment, markName] };
}

function bareShape(cwd: string, environment: readonly string[]): Shape {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return { mounts: [], home: "", cwd, environment, network: "host", limits: {}, uid, gid };
}
