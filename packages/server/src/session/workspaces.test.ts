import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyState, makeId, type SessionId, type SessionState } from "@holdfast/protocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { PinnedDefinitions } from "../agents/pinned-definitions.ts";
import { endPlaces, openPlace } from "./testing/place.ts";
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
afterAll(() => rmSync(root, { recursive: true }));

const workspacesIn = (dir: string) =>
  new Workspaces(dir, new PinnedDefinitions(join(dir, "definitions")));

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

test("no agent is started in the data directory: the run fails and says what to do [P39]", async () => {
  const p = await openPlace();
  const id = await p.create({}, { workspace: { kind: "in-place", path: p.data } });
  await p.prompt(id, "/say hello");
  expect(await p.kind(id, "run.failed")).toMatchObject({ error: { code: "bad_input" } });
  expect(p.holders()).toEqual([]);
});
