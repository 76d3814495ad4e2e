import { chownSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findHolderProcesses } from "../holder/processes/holder-processes.ts";
import { sandboxSuite } from "../testing/sandbox-suite.ts";
import { Cgroups, hierarchiesIn } from "./cgroups.ts";
import { realDisk } from "./disk.ts";
import { bubblewrapSandboxes, processSandboxes } from "./local-sandboxes.ts";
import { readMachine, sandboxUser } from "./machine.ts";
import { shapeOf } from "./make-shape.ts";
import { probeBubblewrap } from "./probe.ts";
import type { Sandboxes } from "./sandbox.ts";
import type { Shape } from "./shape.ts";
import { personsMachine } from "./testing/shape-facts.ts";

const machine = await readMachine();
const probe = await probeBubblewrap("/home/none");
const environment = ["PATH", "HOLDFAST_HOLDER"];

function opened(make: (cgroups: Cgroups | null) => Sandboxes, cgroups: Cgroups | null) {
  return () => {
    const person = personsMachine();
    const user = machine === null ? person.facts.user : sandboxUser("suite", machine);
    const shape = shapeOf({ ...person.facts, environment, user }, realDisk) as Shape;
    if (user.uid !== process.getuid?.()) chownSync(person.workspace, user.uid, user.gid);
    const reopen = cgroups === null ? {} : { reopen: () => make(cgroups) };
    return { sandboxes: make(cgroups), shape, dispose: person.remove, ...reopen };
  };
}

const process_ = (cgroups: Cgroups | null) =>
  processSandboxes({
    cgroups,
    findProcesses: (holderId, leaders) => findHolderProcesses({ holderId, leaders }),
  });

const bubblewrap = (cgroups: Cgroups | null) => {
  if (machine === null) throw new Error("Bubblewrap is not installed.");
  return bubblewrapSandboxes(cgroups, machine);
};

const found = Cgroups.find();
const one = Cgroups.among(
  hierarchiesIn(
    readFileSync("/proc/self/mountinfo", "utf8"),
    readFileSync("/proc/self/cgroup", "utf8"),
  ).filter(({ version }) => version === 1),
);

sandboxSuite("a bare process, stopped by signals,", opened(process_, null));
if (found !== null) sandboxSuite("a bare process in a group", opened(process_, found));

describe.skipIf(!probe.holds)("bubblewrap", () => {
  sandboxSuite("bubblewrap, stopped by signals,", opened(bubblewrap, null));
  if (found !== null) sandboxSuite("bubblewrap in a group", opened(bubblewrap, found));
  if (one !== null) sandboxSuite("bubblewrap in a group of version 1", opened(bubblewrap, one));
});

test("without a group, every limit of the shape is named as one that is not enforced", async () => {
  const { sandboxes, shape, dispose } = opened(process_, null)();
  const limits = { memoryBytes: 1_000_000, processes: 3 };
  const id = `limits-${process.pid}`;
  const stdio = ["pipe", "ignore", "ignore"] as const;
  const program = { command: "/bin/cat", args: [], env: { HOLDFAST_HOLDER: id }, stdio };
  sandboxes.spawn(id, { ...shape, limits }, program);
  expect(sandboxes.unlimited(id)).toEqual(["memoryBytes", "processes"]);
  await sandboxes.release(id);
  dispose();
});

test("bubblewrap holds here, or the probe says why not and what to type", () => {
  const { holds, reason, words, advice } = probe;
  expect(words).not.toBe("");
  expect([reason === null, advice === ""]).toEqual([holds, holds]);
});

test.skipIf(machine === null)("a processor without a filter has no boundary", async () => {
  const { holds, reason, words } = await probeBubblewrap("/home/none", "riscv64");
  expect([holds, reason, words]).toEqual([
    ...[false, "leaks", "There is no filter of system calls for riscv64."],
  ]);
});
