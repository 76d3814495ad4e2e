/** Commands on data without a running host: copy, check, repair. */

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireHost } from "../../packages/server/src/host.ts";
import { lines, run, start } from "./terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-data-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const made = join(folder, "made");

beforeAll(async () => {
  const host = await wireHost({ data: made });
  for (let n = 0; n < 2; n++) {
    const sessionId = host.sessions.newId("session");
    const input = { sessionId, tenant: "default", title: `Session ${n}`, agentName: "demo" };
    await host.sessions.execute(sessionId, "create", input);
    for (let i = 0; i < 4; i++) {
      await host.sessions.execute(sessionId, "rename", { title: `Title ${i}` });
    }
  }
  await host.close();
});

/** The data of a stopped host: two sessions that were renamed a few times. */
function stopped(): string {
  const data = mkdtempSync(join(folder, "data-"));
  cpSync(made, data, { recursive: true });
  return data;
}

function change(data: string, sql: string): void {
  const database = new DatabaseSync(join(data, "journal.db"));
  database.exec(sql);
  database.close();
}

const set = (data: string) => readdirSync(data).filter((name) => name.includes("damaged"));

describe("holdfast repair", () => {
  test("says that a sound journal is sound, and leaves it where it is", async () => {
    const data = stopped();
    const before = readdirSync(data).sort();
    const told = await run(["repair", "--data", data]);
    expect([told.code, told.stdout, told.stderr]).toEqual([
      ...[0, ""],
      `holdfast: the session data in ${data} is not damaged (2 sessions, 10 events)\n`,
    ]);
    const json = await run(["repair", "--data", data, "--json"]);
    expect(lines(json.stdout)).toEqual([{ sound: true, damaged: null, sessions: [] }]);
    expect(readdirSync(data).sort()).toEqual(before);
  });

  test.each([
    ["a session's record", "update sessions set state_crc = state_crc + 1 where row = 1"],
    ["a once-only fact", "insert into facts values (1, 'outcome', 'run', 1)"],
    ["a cursor", "insert into cursors (session, holder, n, crc) values (1, 'h', 1, 0)"],
    ["events", "update pages set crc = crc + 1 where id = (select min(id) from pages)"],
  ])("mends %s that is damaged, once, and keeps the old", async (_, sql) => {
    const data = stopped();
    change(data, sql);
    const mended = await run(["repair", "--data", data, "--json"]);
    expect([mended.code, lines(mended.stdout)]).toMatchObject([0, [{ sound: false }]]);
    expect(set(data)).toHaveLength(1);
    const again = await run(["repair", "--data", data, "--json"]);
    expect(lines(again.stdout)).toMatchObject([{ sound: true }]);
    expect(set(data)).toHaveLength(1);
    // Every session accepts writes again.
    const host = await wireHost({ data });
    for (const { session } of (await host.journal.list({ limit: 10 })).sessions) {
      await host.sessions.execute(session, "rename", { title: "Mended" });
    }
    await host.close();
  });

  test("tells a person what was kept, what was lost and where the old is", async () => {
    const data = stopped();
    change(data, "update pages set crc = crc + 1 where id = (select max(id) from pages)");
    const { stderr } = await run(["repair", "--data", data]);
    expect(stderr).toMatch(/holdfast: repaired: 2 sessions, \d+ events kept\n/);
    expect(stderr).toMatch(/holdfast: (sess_\w+: .* lost|nothing was lost)\n/);
    expect(stderr).toMatch(/holdfast: the damaged files are kept in \/.*\n$/);
  });

  test("takes no journal that was lost for a sound one", async () => {
    const data = stopped();
    truncateSync(join(data, "journal.db"), 0);
    const told = await run(["repair", "--data", data, "--json"]);
    expect([told.code, lines(told.stdout)]).toMatchObject([
      1,
      [{ error: { code: "data_damaged" } }],
    ]);
  });
});

describe("holdfast backup", () => {
  test("says what is not in it, and how to save that", async () => {
    const data = stopped();
    for (const name of ["workspaces", "agents"]) {
      mkdirSync(join(data, name));
      writeFileSync(join(data, name, "file"), name);
    }
    const copy = join(folder, "copy");
    const told = await run(["backup", copy, "--data", data]);
    expect([told.code, told.stdout]).toEqual([0, ""]);
    expect(told.stderr).toContain(`2 sessions, 10 events in ${copy}\n`);
    expect(told.stderr).toContain("not included: the files that agents work on");
    const [, command = ""] = /(cp -a .*)\n/.exec(told.stderr) ?? [];
    expect(command).toBe(`cp -a ${join(data, "workspaces")} ${join(data, "agents")} ${copy}`);
    expect(existsSync(join(copy, "workspaces"))).toBe(false);
    const json = await run(["backup", join(folder, "again"), "--data", data, "--json"]);
    expect(lines(json.stdout)).toMatchObject([
      { sessions: 2, without: expect.arrayContaining([join(data, "workspaces")]) },
    ]);
  });

  test("under a running host says how to stop it", async () => {
    const data = stopped();
    const host = await wireHost({ data });
    const { code, stderr } = await run(["backup", join(folder, "refused"), "--data", data]);
    await host.close();
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is using .*holdfast stop --data /)]);
  });

  test("that is killed before it is complete starts no host, under either of its names [P10]", async () => {
    const data = stopped();
    const blobs = join(data, "blobs");
    mkdirSync(blobs, { recursive: true });
    // So many that syncing them takes longer than noticing that the backup began.
    for (let n = 0; n < 3000; n++) writeFileSync(join(blobs, `${n}`), "x");
    const copy = join(folder, "killed");
    const begun = join(`${copy}.partial`, "unfinished-backup");
    const running = start(["backup", copy, "--data", data]);
    while (!existsSync(begun)) {
      expect(running.child.exitCode).toBeNull();
      await new Promise((resolve) => setImmediate(resolve));
    }
    running.child.kill("SIGKILL");
    await running.ended();
    expect(running.child.signalCode).toBe("SIGKILL");
    for (const dir of [copy, `${copy}.partial`]) {
      const served = await run(["serve", "--port", "0", "--json", "--data", dir]);
      expect([served.code, lines(served.stdout)]).toMatchObject([
        1,
        [
          {
            error: {
              code: "data_damaged",
              message: expect.stringContaining("is an incomplete backup"),
            },
          },
        ],
      ]);
    }
  });

  test("that was cut off starts no host, and the next one takes its place [P10]", async () => {
    const data = stopped();
    const copy = join(folder, "cut-off");
    const marked = `${copy}.partial`;
    mkdirSync(marked);
    for (const name of ["unfinished-backup", "journal.db"]) writeFileSync(join(marked, name), "");
    // As an interrupted backup of an earlier version leaves it.
    const hot = join(folder, "hot");
    mkdirSync(hot);
    for (const name of ["journal.db", "journal.db-journal"]) writeFileSync(join(hot, name), "");
    for (const dir of [marked, hot]) {
      await expect(wireHost({ data: dir })).rejects.toMatchObject({ code: "data_damaged" });
      expect(existsSync(join(dir, "lock.db"))).toBe(false);
    }
    writeFileSync(join(data, "config.json"), "{}", { mode: 0o644 });
    expect((await run(["backup", copy, "--data", data, "--json"])).code).toBe(0);
    expect(existsSync(marked)).toBe(false);
    expect(statSync(join(copy, "config.json")).mode & 0o777).toBe(0o600);
    const host = await wireHost({ data: copy });
    expect((await host.journal.list({ limit: 10 })).sessions).toHaveLength(2);
    await host.close();
  });

  test("that was cut off before its rename starts no host, and is usable once renamed [P10]", async () => {
    const data = stopped();
    const copy = join(folder, "unrenamed");
    expect((await run(["backup", copy, "--data", data, "--json"])).code).toBe(0);
    // As a kill between the removal of the marker and the rename leaves it.
    renameSync(copy, `${copy}.partial`);
    mkdirSync(copy);
    const error = {
      code: "data_damaged",
      message: expect.stringContaining(`rename ${copy}.partial to it`),
    };
    await expect(wireHost({ data: copy })).rejects.toMatchObject(error);
    const refused = await run(["backup", copy, "--data", data, "--json"]);
    expect([refused.code, lines(refused.stdout)]).toMatchObject([1, [{ error }]]);
    expect(readdirSync(copy)).toEqual([]);
    rmdirSync(copy);
    renameSync(`${copy}.partial`, copy);
    const host = await wireHost({ data: copy });
    expect((await host.journal.list({ limit: 10 })).sessions).toHaveLength(2);
    await host.close();
  });
});
