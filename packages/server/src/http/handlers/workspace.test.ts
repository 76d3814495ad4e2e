import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { done, type Script, scriptedAgent } from "../../testing/scripted-agent.ts";
import { testHost } from "../../testing/test-host.ts";
import { hostileRepository } from "../../workspace/testing/hostile.ts";
import {
  git,
  newFolder,
  newRepository,
  removeFolders,
  write,
} from "../../workspace/testing/repo.ts";
import { requestOf, testApp } from "../testing/test-app.ts";
import { openApi } from "./openapi.ts";

afterEach(removeFolders);

const says: Script = () => [done()];

/** A session that works in this directory, or by default in a directory of its own. */
async function sessionIn(path?: string, data = newFolder()) {
  const test = await testApp({
    host: await testHost({ data, agents: [scriptedAgent("demo", says)] }),
  });
  const body = {
    agent: "demo",
    ...(path === undefined ? {} : { workspace: { kind: "in-place" as const, path } }),
  };
  const { session } = await test.ask("createSession", { body });
  const params = { sessionId: session.id as SessionId };
  return { ...test, params, file: (path: string) => ({ params: { ...params, path } }) };
}

describe("a session's workspace", () => {
  test("gives branch, HEAD, dirty files and the summary in one round trip [R000-67]", async () => {
    const dir = newRepository({ "a.txt": "a\n" });
    write(dir, { "a.txt": "b\n", "new.txt": "n\n" });
    const { ask, params } = await sessionIn(dir);
    expect(await ask("getWorkspaceStatus", { params })).toEqual({
      repository: true,
      branch: "main",
      head: git(dir, "rev-parse", "HEAD"),
      dirty: ["a.txt", "new.txt"],
      diffStat: expect.stringContaining("a.txt | 2 +-"),
    });
  });

  test("gives the changes since HEAD, for the whole workspace or one path", async () => {
    const dir = newRepository({ "src/a.txt": "a\n", "b.txt": "b\n" });
    write(dir, { "src/a.txt": "A\n", "b.txt": "B\n" });
    const { ask, refused, params } = await sessionIn(dir);
    const all = await ask("getWorkspaceDiff", { params });
    expect(all.files.map(({ path }) => path)).toEqual(["b.txt", "src/a.txt"]);
    const one = await ask("getWorkspaceDiff", { params, query: { path: "src/a.txt" } });
    expect(one.files).toEqual([all.files[1]]);
    const out = await refused("getWorkspaceDiff", { params, query: { path: "../x" } });
    expect(out).toMatchObject({ status: 400, code: "path_outside" });
  });

  test("shows folders and files, by paths with slashes and any characters", async () => {
    const dir = newFolder();
    const odd = "100% a#b?c/ü%2Fx.txt";
    write(dir, { "src/a.txt": "a\n", [odd]: "odd" });
    const { ask, app, params, file } = await sessionIn(dir);
    const top = await ask("listFiles", { params });
    expect(top.entries.map(({ name }) => name)).toEqual(["100% a#b?c", "src"]);
    expect(await ask("readFile", file("src"))).toMatchObject({ entries: [{ name: "a.txt" }] });
    expect(await ask("readFile", file(odd))).toMatchObject({ path: odd, text: "odd" });
    const plain = `/api/sessions/${params.sessionId}/workspace/files/src/a.txt`;
    const headers = { authorization: "Bearer local" };
    expect(await (await app.request(plain, { headers })).json()).toMatchObject({ text: "a\n" });
  });

  test("serves a file's bytes so that a browser does not render them [P41]", async () => {
    const dir = newFolder();
    const name = 'x"\r\nset-cookie: a=b.html';
    write(dir, { [name]: "<script>alert(1)</script>" });
    const { send, file } = await sessionIn(dir);
    for (const raw of ["", "1"] as const) {
      const response = await send("readFile", { ...file(name), query: { raw } });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "application/octet-stream",
        "content-length": "25",
        "content-disposition": 'attachment; filename="x___set-cookie__a_b.html"',
        "content-security-policy": expect.stringContaining("sandbox"),
        "x-content-type-options": "nosniff",
      });
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(await response.text()).toBe("<script>alert(1)</script>");
    }
  });

  test("[P34] is read by a limited number of requests at once, and the next one is told to retry", async () => {
    const dir = newRepository({ "a.txt": "a\n" });
    const { send, ask, params } = await sessionIn(dir);
    const statuses = async (pathOf: (n: number) => string) => {
      const asked = Array.from({ length: 100 }, (_, n) =>
        send("getWorkspaceDiff", { params, query: { path: pathOf(n) } }),
      );
      return [...new Set((await Promise.all(asked)).map(({ status }) => status))].sort();
    };
    expect(await statuses((n) => `${n}.txt`)).toEqual([200, 429]);
    // Concurrent requests for the same content share one run of git.
    expect(await statuses(() => "a.txt")).toEqual([200]);
    expect(await ask("getWorkspaceStatus", { params })).toMatchObject({ repository: true });
  });

  test("[P34] is not read for a request whose client has disconnected", async () => {
    const { app, errors, params } = await sessionIn(newRepository({ "a.txt": "a\n" }));
    for (const name of ["getWorkspaceStatus", "getWorkspaceDiff"] as const) {
      const signal = AbortSignal.abort();
      const response = await app.request(new Request(requestOf(name, { params }), { signal }));
      expect(await response.json()).toMatchObject({ code: "request_timeout" });
    }
    expect(errors).toEqual([]);
  });

  test("that is a part of a person's repository gives the changes in that part", async () => {
    const dir = newRepository({ "in/a.txt": "a\n", "out.txt": "o\n" });
    write(dir, { "in/a.txt": "A\n", "out.txt": "O\n" });
    const { ask, params } = await sessionIn(join(dir, "in"));
    const here = { branch: "main", dirty: ["a.txt"] };
    expect(await ask("getWorkspaceStatus", { params })).toMatchObject(here);
    const { files } = await ask("getWorkspaceDiff", { params });
    expect(files.map(({ path }) => path)).toEqual(["a.txt"]);
  });

  test("is read-only: other methods are refused at its addresses", async () => {
    const { app, params } = await sessionIn(newRepository({ "a.txt": "a\n" }));
    const headers = { authorization: "Bearer local" };
    for (const path of ["status", "diff", "files", "files/a.txt"]) {
      for (const method of ["PUT", "POST", "DELETE", "PATCH"]) {
        const url = `/api/sessions/${params.sessionId}/workspace/${path}`;
        expect((await app.request(url, { method, headers })).status).toBe(405);
      }
    }
  });

  test("that was not created yet is empty, and has no repository", async () => {
    const { ask, refused, params, file } = await sessionIn();
    expect(await ask("getWorkspaceStatus", { params })).toMatchObject({ repository: false });
    expect(await ask("getWorkspaceDiff", { params })).toMatchObject({
      repository: false,
      files: [],
    });
    expect(await ask("listFiles", { params })).toMatchObject({ entries: [] });
    expect(await refused("readFile", file("a.txt"))).toMatchObject({ code: "not_found" });
  });

  test("that was deleted says so, and what to do", async () => {
    const dir = newFolder();
    const { refused, params, file } = await sessionIn(dir);
    rmSync(dir, { recursive: true });
    const gone = {
      status: 409,
      code: "workspace_missing",
      detail: expect.stringContaining("back"),
    };
    expect(await refused("getWorkspaceStatus", { params })).toMatchObject(gone);
    expect(await refused("getWorkspaceDiff", { params })).toMatchObject(gone);
    expect(await refused("listFiles", { params })).toMatchObject(gone);
    expect(await refused("readFile", file("a.txt"))).toMatchObject(gone);
  });

  test("is described in OpenAPI, and needs the read scope only", () => {
    const { paths } = openApi("1") as unknown as { paths: Record<string, Record<string, object>> };
    expect(paths["/api/sessions/{sessionId}/workspace/files/{path}"]?.get).toMatchObject({
      "x-scope": "read",
      responses: { 200: { content: { "application/json": {}, "application/octet-stream": {} } } },
    });
  });
});

describe("a workspace that means harm", () => {
  test("runs no program of its repository on any read route [S10]", async () => {
    const { dir, ran } = hostileRepository();
    const { ask, host, params, file } = await sessionIn(dir);
    ran();
    expect(await ask("getWorkspaceStatus", { params })).toMatchObject({ repository: true });
    expect((await ask("getWorkspaceDiff", { params })).files.length).toBeGreaterThan(2);
    await ask("readFile", file("a.txt"));
    expect(await host.workspaces.truth(await host.sessions.state(params.sessionId))).toMatchObject({
      dirty: expect.arrayContaining(["a.txt"]),
    });
    expect(ran()).toEqual([]);
  });

  test("gives no access outside itself, however a path is written [S5]", async () => {
    const dir = newFolder();
    write(dir, { "a.txt": "a" });
    symlinkSync("/etc", join(dir, "etc"));
    const { app, params } = await sessionIn(dir);
    const headers = { authorization: "Bearer local" };
    const ways = ["../../token", "%2e%2e/x", "..%2f..%2fx", "%2fetc%2fpasswd", "/etc/passwd"];
    const more = ["a.txt%00", "..\\x", "%5c..%5c", "etc/passwd", "etc%2fpasswd", "%c0%ae%c0%ae/x"];
    for (const way of [...ways, ...more, "__proto__", "x".repeat(4097), "a.txt/b", "%ff"]) {
      const url = `http://127.0.0.1/api/sessions/${params.sessionId}/workspace/files/${way}`;
      const response = await app.request(url, { headers });
      expect([400, 404], way).toContain(response.status);
      expect(await response.text()).not.toContain("root:");
    }
  });

  test("that turned into a link to the host's own files is refused [P39]", async () => {
    const [dir, data] = [newFolder(), newFolder()];
    const { refused, params } = await sessionIn(dir, data);
    rmSync(dir, { recursive: true });
    symlinkSync(data, dir);
    expect(await refused("listFiles", { params })).toMatchObject({ code: "bad_input" });
  });

  test("created by the host that turned into a link counts as deleted [P39]", async () => {
    const [other, data] = [newFolder(), newFolder()];
    const { refused, params } = await sessionIn(undefined, data);
    mkdirSync(join(data, "workspaces"));
    symlinkSync(other, join(data, "workspaces", params.sessionId));
    expect(await refused("listFiles", { params })).toMatchObject({ code: "workspace_missing" });
  });

  test("of another tenant is not found, like its session [P37]", async () => {
    const { refused, params, file } = await sessionIn(newRepository({ "a.txt": "a\n" }));
    const theirs = { status: 404, code: "session_not_found" };
    for (const name of ["getWorkspaceStatus", "getWorkspaceDiff", "listFiles"] as const) {
      expect(await refused(name, { as: "other", params })).toMatchObject(theirs);
    }
    expect(await refused("readFile", { as: "other", ...file("a.txt") })).toMatchObject(theirs);
  });
});
