/**
 * Tests for a workspace that is gone or was emptied: the session goes on, and the loss is reported.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import type { Receipt, SessionId } from "@holdfast/protocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { backupData } from "../backup.ts";
import { readSpool } from "../holder/host-side/read-spool.ts";
import { newFolder, removeFolders, write } from "../workspace/testing/repo.ts";
import {
  endPlaces,
  endSessions,
  isOutcome,
  openPlace,
  type Place,
  sharedPlace,
} from "./testing/place.ts";
import { cutOff, heard, loseAll, putAway, revive, revivedAgain, say } from "./testing/resuming.ts";

// Hooks run in reverse order: hosts are closed first, because their data may lie in such a folder.
afterEach(removeFolders);
afterEach(endSessions);
afterAll(endPlaces);

const GONE = "the workspace: the agent's folder was gone, with everything in it";
const EMPTIED = "the workspace: the agent's folder was empty, although it had contained files";

const remove = (p: Place, id: SessionId) => rmSync(p.workspace(id), { recursive: true });

function empty(p: Place, id: SessionId): void {
  const dir = p.workspace(id);
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
}

const stringWith = (part: string) => expect.stringContaining(part);
const named = ({ receipt }: { receipt?: Receipt | null }) =>
  receipt?.lost.filter((loss) => loss.startsWith("the workspace"));

async function struck(p: Place, id: SessionId, meanwhile?: () => void): Promise<void> {
  await p.prompt(id, "/stall");
  await p.kind(id, "tool.started");
  await loseAll(p, meanwhile);
}

/** The agent exits while no host is open, and its holder lives on. */
async function emptiedBehindHost(p: Place, id: SessionId): Promise<void> {
  await p.prompt(id, "/stall");
  await p.kind(id, "tool.started");
  const [holder = ""] = p.holders();
  const cursor = await p.journal.cursor(id, basename(holder));
  await p.close();
  process.kill(p.agentPid(), "SIGKILL");
  const spooled = () => [...readSpool(holder, cursor)].flat();
  await expect.poll(() => spooled().some(({ k }) => k === "exit")).toBe(true);
  empty(p, id);
  await p.open();
}

const revived = async (p: Place, id: SessionId) => (await revive(p, id)) ?? {};

/** The prompts about a lost folder, from the agent's own memory. */
const told = (p: Place, id: SessionId) =>
  heard(p, id).filter((text) => text.includes("your folder"));

describe("a folder that is gone", () => {
  test("is made anew, and named in the receipt and with the next prompt, once", async () => {
    const { p, id } = await putAway(["/say first"]);
    remove(p, id);
    const resumed = await revived(p, id);
    expect(resumed).toMatchObject({ rung: "native", grade: "verified" });
    expect(resumed).toMatchObject({ receipt: { evidence: { workspace: "gone" } } });
    expect(named(resumed)).toEqual([stringWith(GONE)]);
    expect(JSON.stringify(resumed)).not.toContain("the workspace, at");
    expect(existsSync(p.workspace(id))).toBe(true);
    await say(p, id, "/say next");
    const [prompt] = told(p, id);
    expect(prompt).toContain("your folder was gone, with all that was in it. A new, empty folder");
    expect(prompt).toContain("=== CURRENT REQUEST ===\n\n/say next\n");
    await say(p, id, "/say last");
    expect(told(p, id)).toHaveLength(1);
    expect(named((await revivedAgain(p, id)) ?? {})).toEqual([]);
    expect(await p.of(id, "workspace.lost")).toHaveLength(1);
  });

  test("is reported to a run that is continued, with its cut-off work", async () => {
    const { p, id, runId } = await cutOff("/say half /die");
    remove(p, id);
    const { seq } = await p.sessions.state(id);
    await p.sessions.execute(id, "retry", { runId, from: "error" });
    await expect.poll(() => told(p, id).length, { timeout: 8_000 }).toBe(1);
    expect(told(p, id)[0]).toContain("The session was interrupted during round");
    expect((await p.kind(id, "receipt.issued", seq)).lost).toContainEqual(stringWith(GONE));
  });

  test("is reported also when the host that first saw it died before reporting it", async () => {
    const { p, id } = await putAway(["/say first"]);
    const [place, elsewhere] = [join(p.data, "workspaces"), join(p.data, "elsewhere")];
    remove(p, id);
    renameSync(place, elsewhere);
    // The loss is recorded, but a new folder cannot be made.
    symlinkSync(join(p.data, "nowhere"), place);
    await expect(revive(p, id)).rejects.toMatchObject({ code: "launch_failed" });
    rmSync(place);
    renameSync(elsewhere, place);
    mkdirSync(p.workspace(id));
    await loseAll(p);
    expect(named(await revived(p, id))).toEqual([stringWith(GONE)]);
    await say(p, id, "/say next");
    expect(told(p, id)).toHaveLength(1);
  });

  test("is named where a backup was restored, which holds no workspaces", async () => {
    const { p, id } = await putAway(["/say first"]);
    const to = join(newFolder(), "copy");
    await backupData(p.journal, p.data, to);
    const copy = await openPlace({ data: to });
    expect((await copy.sessions.open(id)).transcript.messages).toHaveLength(2);
    expect(existsSync(copy.workspace(id))).toBe(false);
    expect(named(await revived(copy, id))).toEqual([stringWith(GONE)]);
    await say(copy, id, "/say next");
    expect(told(copy, id)).toEqual([expect.stringContaining("[USER]: /say first")]);
  });

  test("is no loss where no agent ever took a prompt", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await revive(p, id);
    await p.host?.runtimes.pause(id);
    remove(p, id);
    expect(await p.host?.workspaces.isThere(await p.sessions.state(id))).toBe(true);
    await say(p, id, "/say first");
    expect(heard(p, id)).toEqual(["/say first"]);
    expect(await p.of(id, "workspace.lost")).toEqual([]);
  });

  test("is no loss for the status either where a message came that no agent took", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await revive(p, id);
    await p.host?.runtimes.pause(id);
    remove(p, id);
    const [place, elsewhere] = [join(p.data, "workspaces"), join(p.data, "elsewhere")];
    renameSync(place, elsewhere);
    write(p.data, { workspaces: "a file" });
    await p.prompt(id, "/say first");
    await p.until(id, isOutcome);
    rmSync(place);
    renameSync(elsewhere, place);
    expect(await p.host?.workspaces.isThere(await p.sessions.state(id))).toBe(true);
  });

  test("is no loss when it cannot be read: the start fails, and no folder is made", async () => {
    const { p, id } = await putAway(["/say first"]);
    const [place, elsewhere] = [join(p.data, "workspaces"), join(p.data, "elsewhere")];
    renameSync(place, elsewhere);
    write(p.data, { workspaces: "a file" });
    await expect(revive(p, id)).rejects.toMatchObject({ code: "launch_failed" });
    rmSync(place);
    renameSync(elsewhere, place);
    expect(named(await revived(p, id))).toEqual([]);
  });
});

describe("a folder that is empty", () => {
  test.each<[string, (p: Place, id: SessionId) => Promise<void>]>([
    ["after its agent was put away", async (p, id) => empty(p, id)],
    [
      "after a host found host, holder and agent killed",
      async (p, id) => {
        await struck(p, id);
        empty(p, id);
      },
    ],
    ["while host, holder and agent were down", (p, id) => struck(p, id, () => empty(p, id))],
    ["while the host was down, after its agent exited", emptiedBehindHost],
  ])("and was emptied %s is named in the receipt and with the next prompt", async (_when, lose) => {
    const { p, id } = await putAway(["/say first"]);
    await lose(p, id);
    expect(named(await revived(p, id))).toEqual([stringWith(EMPTIED)]);
    await say(p, id, "/say next");
    expect(told(p, id)).toEqual([expect.stringContaining("although it had contained files")]);
  });

  test("and that another one replaced is named the same way", async () => {
    const { p, id } = await putAway(["/say first"]);
    remove(p, id);
    mkdirSync(p.workspace(id));
    expect(named(await revived(p, id))).toEqual([stringWith(EMPTIED)]);
  });

  test("is no loss where the agent left it so", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await say(p, id, "/say first");
    // While the agent lives, it may have emptied the folder itself.
    empty(p, id);
    await p.host?.runtimes.pause(id);
    expect(await p.of(id, "holder.exited")).toMatchObject([{ workspace: "empty" }]);
    expect(named(await revived(p, id))).toEqual([]);
  });
});

test("a person's own folder that is gone is refused, and one that was emptied is named", async () => {
  const p = await sharedPlace();
  const folder = newFolder();
  write(folder, { "a.txt": "1" });
  const workspace = { kind: "in-place", path: folder, branch: null };
  const id = await p.create({}, { workspace });
  await say(p, id, "/say first");
  await p.host?.runtimes.pause(id);
  rmSync(folder, { recursive: true });
  await expect(revive(p, id)).rejects.toMatchObject({ code: "workspace_missing" });
  expect(existsSync(folder)).toBe(false);
  mkdirSync(folder);
  expect(named(await revived(p, id))).toEqual([stringWith(EMPTIED)]);
});

describe("the folder of a live, idle agent", () => {
  async function idle(over = {}) {
    const p = await sharedPlace();
    const id = await p.create({}, over);
    await say(p, id, "/say first");
    return { p, id, pid: p.agentPid() };
  }

  test("that is gone is made anew by a resume, which names it", async () => {
    const { p, id, pid } = await idle();
    remove(p, id);
    const resumed = await revived(p, id);
    expect(resumed).toMatchObject({ rung: "native", grade: "verified" });
    expect(named(resumed)).toEqual([stringWith(GONE)]);
    expect(p.agentPid()).not.toBe(pid);
    expect(existsSync(p.workspace(id))).toBe(true);
    await say(p, id, "/say next");
    expect(told(p, id)).toHaveLength(1);
  });

  test("that was moved away is made anew by the next message, and what was moved stays", async () => {
    const { p, id } = await idle();
    write(p.workspace(id), { "a.txt": "1" });
    const elsewhere = join(newFolder(), "moved");
    renameSync(p.workspace(id), elsewhere);
    await say(p, id, "/say next");
    expect(told(p, id)).toHaveLength(1);
    expect(await p.of(id, "workspace.lost")).toHaveLength(1);
    expect(existsSync(p.workspace(id))).toBe(true);
    expect(existsSync(join(elsewhere, "a.txt"))).toBe(true);
  });

  test.each(["resume", "message"])(
    "that was removed and made again is noticed by a %s, and its agent is restarted there",
    async (how) => {
      const { p, id, pid } = await idle();
      remove(p, id);
      mkdirSync(p.workspace(id));
      if (how === "resume") expect(named(await revived(p, id))).toEqual([stringWith(GONE)]);
      await say(p, id, "/say next");
      expect(p.agentPid()).not.toBe(pid);
      expect(told(p, id)).toHaveLength(1);
      expect(await p.of(id, "workspace.lost")).toMatchObject([{ what: "gone" }]);
      expect(await p.of(id, "holder.exited")).not.toMatchObject([{ workspace: "empty" }]);
    },
  );

  test("that was put back as a copy is no loss, and its agent is restarted there", async () => {
    const folder = newFolder();
    const { p, id, pid } = await idle({
      workspace: { kind: "in-place", path: folder, branch: null },
    });
    rmSync(folder, { recursive: true });
    write(folder, { "a.txt": "1" });
    expect(named(await revived(p, id))).toEqual([]);
    expect(p.agentPid()).not.toBe(pid);
    expect(await revive(p, id)).toBeNull();
  });

  test("that is there, was emptied, or is gone while its agent works leaves the agent as it is", async () => {
    const { p, id, pid } = await idle();
    expect(await revive(p, id)).toBeNull();
    empty(p, id);
    expect(await revive(p, id)).toBeNull();
    await p.prompt(id, "/stall");
    await p.kind(id, "tool.started");
    remove(p, id);
    expect(await revive(p, id)).toBeNull();
    expect(p.agentPid()).toBe(pid);
    expect(existsSync(p.workspace(id))).toBe(false);
  });

  test("that is a person's own is refused until it is back, and the agent stays up", async () => {
    const folder = newFolder();
    const elsewhere = join(newFolder(), "moved");
    const { p, id, pid } = await idle({
      workspace: { kind: "in-place", path: folder, branch: null },
    });
    renameSync(folder, elsewhere);
    const refusal = { code: "workspace_missing", message: expect.stringContaining(folder) };
    await expect(revive(p, id)).rejects.toMatchObject(refusal);
    await p.prompt(id, "/say next");
    expect(await p.kind(id, "run.failed")).toMatchObject({ error: refusal });
    expect(existsSync(folder)).toBe(false);
    renameSync(elsewhere, folder);
    await say(p, id, "/say last");
    expect(p.agentPid()).toBe(pid);
  });
});
