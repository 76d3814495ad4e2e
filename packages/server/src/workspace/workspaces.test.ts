import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyState, makeId, type SessionId, type SessionState } from "@holdfast/protocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { PinnedDefinitions } from "../agents/definitions/pinned-definitions.ts";
import { endPlaces, openPlace } from "../runtime/testing/place.ts";
import { newFolder, newRepository, removeFolders, write } from "./testing/repo.ts";
import { Workspaces } from "./workspaces.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-workspaces-")));
const data = join(root, "home", "data");
const link = (name: string, to: string) => {
  symlinkSync(to, join(root, name));
  return join(root, name);
};
for (const dir of ["home/data/workspaces/other", "home/data-2", "home/..data"]) {
  mkdirSync(join(root, dir), { recursive: true });
}

afterEach(endPlaces);
afterEach(removeFolders);
afterAll(() => rmSync(root, { recursive: true }));

const workspacesIn = (dir: string, errors: unknown[] = [], gitPath?: string) =>
  new Workspaces({
    data: dir,
    pinned: new PinnedDefinitions(join(dir, "definitions")),
    mayWorkInPlace: (tenant) => tenant !== "other",
    hasWorked: async () => false,
    onError: (_, error) => errors.push(error),
    ...(gitPath === undefined ? {} : { gitPath }),
  });

/** Points a link at each target in turn, without a pause, from another process. */
function swapLink(path: string, targets: readonly string[]): ChildProcess {
  const script = `const { renameSync, symlinkSync } = require("node:fs");
    const [path, ...targets] = process.argv.slice(1);
    for (let n = 0; ; n++) {
      symlinkSync(targets[n % targets.length], path + ".next");
      renameSync(path + ".next", path);
    }`;
  return spawn(process.execPath, ["-e", script, path, ...targets], { stdio: "ignore" });
}

function inPlace(path: string): SessionState {
  const id = makeId("session", 0, new Uint8Array(10)) as SessionId;
  return { ...emptyState, id, workspace: { ...emptyState.workspace, kind: "in-place", path } };
}

describe("a workspace of the person's own", () => {
  test.each([
    ["the data directory", data],
    ["another tenant's workspace", join(data, "workspaces", "other")],
    ["what holds the data directory", join(root, "home")],
    ["all there is", "/"],
    ["a link to the data directory", link("to-data", data)],
    ["a link into it", link("into", join(data, "workspaces"))],
    ["a way through a link", join(link("home-too", join(root, "home")), "data", "workspaces")],
    ["a link to what holds it", link("to-home", join(root, "home"))],
    ["what shows every process", "/proc"],
    ["the host's own directory, by its process", "/proc/self/fd"],
    ["the devices", "/dev"],
    ["a way back", join(data, "..", "data-2", "..", "data")],
  ])("is refused when it is %s [P39]", async (_, path) => {
    const refused = workspacesIn(data).prepare(inPlace(path));
    await expect(refused).rejects.toMatchObject({ code: "bad_input" });
    await expect(refused).rejects.toThrow("Choose another one");
  });

  test.each(["data-2", "..data"])("is taken when it lies beside the data: %s", async (name) => {
    const path = join(root, "home", name);
    const place = await workspacesIn(link(`data-of-${name}`, data)).prepare(inPlace(path));
    expect(place.workspace).toBe(path);
  });

  test("is looked at again before each launch, whatever its link led to before [P39]", async () => {
    const workspaces = workspacesIn(data);
    const path = link("turning", join(root, "home", "data-2"));
    await workspaces.prepare(inPlace(path));
    rmSync(path);
    symlinkSync(data, path);
    await expect(workspaces.prepare(inPlace(path))).rejects.toMatchObject({
      code: "bad_input",
    });
  });
});

test("a link that is swapped all the while never leads into the data directory", async () => {
  const workspaces = workspacesIn(data);
  const beside = join(root, "home", "data-2");
  const path = link("swapped", beside);
  const swapping = swapLink(path, [beside, data]);
  try {
    const found = new Map<string, number>();
    for (let n = 0; n < 3000; n++) {
      const place = await workspaces.rootOf(inPlace(path)).catch(() => "refused");
      found.set(String(place), (found.get(String(place)) ?? 0) + 1);
    }
    expect([...found.keys()].toSorted()).toEqual([beside, "refused"].toSorted());
  } finally {
    swapping.kill();
  }
});

test("sessions of a tenant that may not work in place get neither an agent nor a file there [P37]", async () => {
  const state = { ...inPlace(join(root, "home", "data-2")), tenant: "other" };
  const workspaces = workspacesIn(data);
  await expect(workspaces.prepare(state)).rejects.toMatchObject({ code: "forbidden" });
  await expect(workspaces.rootOf(state)).rejects.toMatchObject({ code: "forbidden" });
  expect(await workspaces.truth(state)).toBeNull();
});

describe("what git says of a workspace", () => {
  test("is null when git cannot run, and the call never rejects", async () => {
    const errors: unknown[] = [];
    const state = inPlace(newRepository({ "a.txt": "a\n" }));
    const blocked = join(newFolder(), "data");
    writeFileSync(blocked, "");
    const workspaces = workspacesIn(blocked, errors);
    expect(await workspaces.truth(state)).toBeNull();
    expect(errors).toMatchObject([{ code: "ENOTDIR" }]);
    // A missing workspace is reported to the person and is no error of the host.
    expect(await workspaces.truth(inPlace(join(blocked, "gone")))).toBeNull();
    expect(errors).toHaveLength(1);
    rmSync(blocked);
    mkdirSync(blocked);
    expect(await workspaces.truth(state)).toMatchObject({ dirty: [] });
  });

  test("is read by a limited number of gits at once; further sessions wait", async () => {
    const dir = newFolder();
    const said = join(dir, "running-at-each-start");
    const script = [
      "#!/bin/sh",
      `cd ${dir}`,
      ": > running.$$",
      `ls running.* | wc -l >> ${said}`,
      "while [ ! -e go ]; do sleep 0.02; done",
      "rm running.$$",
    ];
    write(dir, { "bin/git": script.join("\n"), "running-at-each-start": "" });
    chmodSync(join(dir, "bin/git"), 0o700);
    const state = inPlace(newRepository({ "a.txt": "a\n" }));
    const workspaces = workspacesIn(data, [], `${join(dir, "bin")}:/usr/bin:/bin`);
    const reading = Array.from({ length: 8 }, () => workspaces.truth(state));
    const counts = () => readFileSync(said, "utf8").split("\n").filter(Boolean).map(Number);
    await expect.poll(() => counts().length).toBeGreaterThanOrEqual(4);
    write(dir, { go: "" });
    await Promise.all(reading);
    expect(Math.max(...counts())).toBe(4);
  });

  test("leaves no files behind, also after an earlier boot was killed during it", async () => {
    const dir = newFolder();
    write(dir, { "looks/git-left/config": "" });
    const state = inPlace(newRepository({ "a.txt": "a\n" }));
    const workspaces = workspacesIn(dir);
    const look = await workspaces.lookOf(state);
    expect(look?.scratch).toBe(join(dir, "looks"));
    expect(readdirSync(join(dir, "looks"))).toEqual([]);
    // Another read of this boot is in progress.
    mkdirSync(join(dir, "looks/git-now"));
    expect(await workspaces.truth(state)).toMatchObject({ dirty: [] });
    expect(readdirSync(join(dir, "looks"))).toEqual(["git-now"]);
  });

  test("is of the repository that a person's folder lies in, and never of one that holds the data", async () => {
    const top = newRepository({ "in/a.txt": "a\n" });
    const theirs = inPlace(join(top, "in"));
    expect(await workspacesIn(newFolder()).truth(theirs)).toMatchObject({ dirty: [] });
    const ours = { ...theirs, workspace: { ...theirs.workspace, path: null } };
    write(top, { [`data/workspaces/${ours.id}/b.txt`]: "b\n" });
    const workspaces = workspacesIn(join(top, "data"));
    expect(await workspaces.lookOf(ours)).not.toBeNull();
    expect(await workspaces.truth(ours)).toBeNull();
  });
});

test("no agent is started in the data directory: the run fails and says what to do [P39]", async () => {
  const p = await openPlace();
  const id = await p.create({}, { workspace: { kind: "in-place", path: p.data } });
  await p.prompt(id, "/say hello");
  expect(await p.kind(id, "run.failed")).toMatchObject({ error: { code: "bad_input" } });
  expect(p.holders()).toEqual([]);
});
