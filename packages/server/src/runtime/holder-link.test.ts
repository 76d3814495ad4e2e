import { tmpdir } from "node:os";
import { afterAll, afterEach, expect, test } from "vitest";
import type { Frame } from "../holder/spool/frames.ts";
import { endHolders, removeHolders, startHolder } from "../holder/testing/holders.ts";
import { connectAgent } from "./holder-link.ts";

afterEach(endHolders);
afterAll(removeHolders);

test("every request after an agent's exit fails with the reason of the exit, also one that its holder refused first", async () => {
  const { dir } = await startHolder();
  const link = await connectAgent({ dir, epoch: 1, acked: 0, timeoutMs: 5_000 });
  const env = { PATH: "/usr/bin:/bin" };
  link.launch({ command: "sh", args: ["-c", "exit 3"], cwd: tmpdir(), env });
  const early: Promise<unknown>[] = [];
  const take = (frame: Frame) => {
    // The exit is read but not yet journalled: the holder refuses this request, and then leaves.
    if (frame.k === "exit") early.push(link.ask("initialize", "initialize", {}));
    if (frame.k === "exit") link.end({ stdinMs: 0, termMs: 0 }, true);
    link.ack(frame.n);
  };
  for await (const frames of link.frames) frames.forEach(take);
  link.rejectRequests("exit code 3: no config");
  link.rejectRequests("the connection to the agent was lost");
  const failure = {
    code: "launch_failed",
    message: "The agent has stopped (exit code 3: no config).",
  };
  expect(early).toHaveLength(1);
  await expect(early[0]).rejects.toMatchObject(failure);
  await expect(link.ask("new", "session/new", {})).rejects.toMatchObject(failure);
});
