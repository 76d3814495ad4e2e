/** Plants secrets in a real host, then searches every byte that it stores, prints or passes on. */

import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Event } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { everyProcess, isLinux } from "./processes.ts";
import { type Ids, pathOf, table, unknown } from "./table.ts";
import { type Asking, Target } from "./target.ts";

const canary = (name: string) => `canary-${name}-${randomBytes(24).toString("hex")}`;

/** Secrets in the environment of the shell that starts the host. */
const environment = {
  ANTHROPIC_API_KEY: canary("anthropic"),
  OPENAI_API_KEY: canary("openai"),
  AWS_SECRET_ACCESS_KEY: canary("aws"),
  GITHUB_TOKEN: canary("github"),
  DATABASE_URL: `postgres://u:${canary("database")}@127.0.0.1/x`,
  HOLDFAST_SECRET: canary("holdfast"),
  SSH_AUTH_SOCK: `/nowhere/${canary("ssh")}`,
  NPM_TOKEN: canary("npm"),
};
/** A marker that is not secret; finding it shows that the search works. */
const VISIBLE = canary("visible");

const target = new Target({ env: environment });
/** Secrets by name, each issued once. */
const secrets = new Map<string, string>(Object.entries(environment));
/** All responses, except those that issue a secret. */
const answers: string[] = [];
const processes: { pid: number; text: string }[] = [];
let planted = "";

afterAll(() => target.end());

async function heard(method: string, path: string, asking: Asking = {}): Promise<string> {
  const { status, head, body } = await target.ask(method, path, asking);
  answers.push(`${method} ${status}\n${head}\n${body}`);
  return body;
}

/**
 * A response that issues a secret: the secret is recorded here and must not appear in later
 * responses.
 */
async function handedOut(
  name: string,
  path: string,
  field: string,
  sent: object,
  as?: string | null,
) {
  const asking = as === undefined ? {} : { as };
  const { body } = await target.ask("POST", path, { body: JSON.stringify(sent), ...asking });
  const reply = JSON.parse(body) as Record<string, string>;
  secrets.set(name, reply[field] ?? "");
  const { [field]: _secret, ...rest } = reply;
  // The URL of a link contains its code.
  answers.push(JSON.stringify({ ...rest, url: undefined }));
  return reply[field] ?? "";
}

/** Records the command lines of all processes, and the environments of all except the host. */
function look(): void {
  for (const { pid, argv, environ } of isLinux ? everyProcess() : []) {
    if (pid === target.hostPid) planted += environ;
    processes.push({ pid, text: pid === target.hostPid ? argv : `${argv}\0${environ}` });
  }
}

/** Follows a session to its end by WebSocket; messages that issue a token are left out. */
async function follow(session: string): Promise<void> {
  const { lastSeq } = await target.session(session);
  const socket = new WebSocket(`ws://127.0.0.1:${target.port}/api/ws`, {
    headers: { authorization: `Bearer ${target.token}` },
  });
  await new Promise<void>((resolve) => {
    socket.on("open", () => socket.send(JSON.stringify({ type: "subscribe", session, after: 0 })));
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as { type: string; events?: Event[] };
      if (message.type !== "token") answers.push(String(data));
      if (message.events?.some(({ seq }) => seq >= lastSeq)) resolve();
    });
  });
  socket.terminate();
}

/** The token of a question, which is sent once, to the creator of the run. */
function tokenOf(session: string): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${target.port}/api/ws`, {
    headers: { authorization: `Bearer ${target.token}` },
  });
  return new Promise((resolve) => {
    socket.on("open", () => socket.send(JSON.stringify({ type: "subscribe", session, after: 0 })));
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as { type: string; token?: string };
      if (message.type !== "token") return void answers.push(String(data));
      socket.terminate();
      return resolve(message.token ?? "");
    });
  });
}

/** Sends requests with every kind of mistake that might make the host echo its input. */
async function provoke(ids: Ids): Promise<void> {
  // With an extra letter, so that no secret is used up.
  const all = [...secrets.values()].map((secret) => `${secret}x`);
  const some = [...all.slice(0, 3), ...all.slice(-6)];
  for (const [name, { method, body }] of table) {
    if (name === "breakSession") continue;
    const path = pathOf(name, ids);
    const wrong = ["{", `{"token":"${some.at(-1)}"`, `["${some.at(-1)}"]`, `"${some.at(-2)}"`];
    for (const sent of body === undefined ? [] : wrong) await heard(method, path, { body: sent });
    const odd = { token: some.at(-1), code: 5, name: { x: some.at(-2) }, decision: some.at(-3) };
    const more = {
      content: [some.at(-1)],
      agent: { x: some.at(-2) },
      what: some.at(-1),
      from: some.at(-2),
    };
    if (body !== undefined) {
      const sent = JSON.stringify({ ...odd, ...more, mode: some.at(-1), scopes: some.at(-1) });
      // Some routes accept any body, so their ids must be unknown.
      await heard(method, pathOf(name, unknown), { body: sent });
    }
    await heard(method, pathOf(name, unknown), { as: some.at(-4) ?? null });
    await heard("GET", `${path}?token=${some.at(-1)}&ticket=${some.at(-2)}&after=x`, { as: null });
    const headers = [["Authorization", `Basic ${some.at(-1)}`]] as const;
    await heard(method, path, { as: null, headers });
    await heard(method, path, { as: null, headers: [["Cookie", `t=${some.at(-1)}`]] });
  }
  for (const secret of some) {
    await heard("GET", `/api/sessions/${secret}`);
    await heard("GET", `/api/runs/${secret}/stream?after=${secret}`);
    await heard("DELETE", `/api/devices/${secret}`);
    await heard("POST", `/api/runs/${ids.runId}/resume`, {
      body: JSON.stringify({ token: secret }),
    });
    const body = JSON.stringify({ token: secret, decision: "allow" });
    await heard("POST", pathOf("decideApproval", ids), { as: null, body });
    await heard("POST", "/api/login", { as: null, body: JSON.stringify({ code: secret }) });
    answers.push((await target.bytes(`GET /${secret} HTTP/1.1\r\nX: \0${secret}\r\n\r\n`)).body);
  }
}

async function story(): Promise<void> {
  secrets.set("the host's token", target.token);
  const code = await handedOut("a link's code", "/api/links", "code", {});
  const device = await handedOut(
    "a device's token",
    "/api/login",
    "token",
    { code, name: "phone" },
    null,
  );
  const unused = await handedOut("an unused link's code", "/api/links", "code", {});
  const key = await handedOut("an API key", "/api/keys", "secret", { name: "ci" });
  await handedOut("a ticket", "/api/tickets", "ticket", {});
  expect([code, device, unused, key].every((secret) => secret.length > 40)).toBe(true);

  // A run that asks and is answered, with its token.
  const asking = await target.create(`/say ${VISIBLE} /ask=2`, { title: VISIBLE });
  secrets.set("the token of a wait, told to its creator", await tokenOf(asking.id));
  const asked = await target.untilKind(asking.id, "approval.requested");
  const { runId, approvalId } = asked;
  const path = `/api/runs/${runId}/token`;
  await handedOut("a resume token that was replaced", path, "token", {});
  const token = await handedOut("a resume token", path, "token", {});
  look();
  const ids = { ...unknown, sessionId: asking.id, runId, approvalId };
  await provoke(ids);
  const decision = JSON.stringify({ decision: "allow", token });
  await heard("POST", pathOf("decideApproval", ids), { as: null, body: decision });
  await heard("POST", pathOf("decideApproval", ids), { as: null, body: decision });
  const { approvalId: next } = await target.untilKind(asking.id, "approval.requested", asked.seq);
  await heard("POST", pathOf("decideApproval", { ...ids, approvalId: next }), {
    as: device,
    body: '{"decision":"deny"}',
  });
  await target.untilKind(asking.id, "run.completed");

  // Runs that fail, exit, crash or print noise, and one that is interrupted by the host's own
  // death.
  const over = ({ kind }: Event) =>
    ["run.completed", "run.failed", "run.interrupted"].includes(kind);
  const rough = ["/fail", "/exit=3", "/crash=2 /count=9", "/noise"];
  const made = await Promise.all(rough.map((message) => target.create(message)));
  look();
  await Promise.all(made.map(({ id }) => target.until(id, over)));
  const stalled = await target.create("/stall");
  await target.untilKind(stalled.id, "tool.started");
  await target.kill();
  look();
  await target.start();
  look();
  await heard("POST", `/api/sessions/${stalled.id}/break`, { body: '{"what":"holder"}' });
  await target.until(stalled.id, over);
  for (const { id } of [asking, stalled, ...made]) {
    await follow(id);
    for (const name of ["listEvents", "getTranscript", "listRuns", "getStatus"] as const) {
      await heard("GET", pathOf(name, { ...unknown, sessionId: id }));
    }
  }
  for (const name of [
    "listDevices",
    "listKeys",
    "metrics",
    "openapi",
    "listAgents",
    "health",
  ] as const) {
    await heard("GET", pathOf(name, unknown));
  }
  await heard("DELETE", `/api/sessions/${stalled.id}`);
  look();
  await target.stop();
}

beforeAll(async () => {
  await target.start();
  await story();
}, 60_000);

/** The forms of a secret: plain, and in common encodings. */
function forms(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  return [
    bytes,
    Buffer.from(bytes.toString("hex")),
    Buffer.from(bytes.toString("base64").replace(/=+$/, "").slice(0, -1)),
    Buffer.from(secret, "utf16le"),
    Buffer.from([...bytes].reverse()),
  ];
}

const hits = (text: Buffer) =>
  [...secrets].flatMap(([name, secret]) =>
    forms(secret).some((form) => text.includes(form)) ? [name] : [],
  );

function filesIn(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    const stats = lstatSync(path);
    if (stats.isDirectory()) return filesIn(path);
    return stats.isFile() ? [path] : [];
  });
}

describe("[P40] a secret", () => {
  test("of each kind was planted, and the visible marker is found where it should be", () => {
    expect(secrets.size).toBeGreaterThanOrEqual(15);
    for (const [name, secret] of secrets) expect([name, secret.length > 20]).toEqual([name, true]);
    const found = filesIn(target.data).filter((path) => readFileSync(path).includes(VISIBLE));
    const places = new Set(found.map((path) => relative(target.data, path).split("/")[0]));
    expect([...places].some((place) => place?.startsWith("journal.db"))).toBe(true);
    expect(places).toContain("agents");
    expect(answers.some((answer) => answer.includes(VISIBLE))).toBe(true);
    expect(answers.length).toBeGreaterThan(200);
    expect(hits(Buffer.from(`x${target.token}x`))).toEqual(["the host's token"]);
  });

  test("is in no file of the data directory except the host's token file", () => {
    const token = join(target.data, "token");
    expect(hits(readFileSync(token))).toEqual(["the host's token"]);
    const files = filesIn(target.data).filter((path) => path !== token);
    expect(files.length).toBeGreaterThan(20);
    const found = files.map((path) => [relative(target.data, path), hits(readFileSync(path))]);
    expect(found.filter(([, names]) => names?.length !== 0)).toEqual([]);
  });

  test("is in no answer, no event and no error but the one that hands it out", () => {
    const found = answers.map((answer) => [answer, hits(Buffer.from(answer))] as const);
    expect(found.filter(([, names]) => names.length > 0)).toEqual([]);
  });

  test("is in no output of the host except its ready line", () => {
    expect(hits(Buffer.from(target.said))).toEqual([]);
    const lines = target.printed.split("\n");
    const ready = lines.filter((line) => line.startsWith('{"ready":true'));
    expect(ready).toHaveLength(2);
    const others = lines.filter((line) => !ready.includes(line)).join("\n");
    expect(hits(Buffer.from(others))).toEqual([]);
  });

  test.skipIf(!isLinux)("was in the environment of the host, as it was planted", () => {
    for (const secret of Object.values(environment)) expect(planted).toContain(secret);
  });

  test.skipIf(!isLinux)("is in no command line, and in no environment but the host's own", () => {
    expect(processes.length).toBeGreaterThan(20);
    // Holders and agents were among the processes searched.
    const text = (part: string) => processes.filter((seen) => seen.text.includes(part)).length;
    expect(text("holder/main")).toBeGreaterThan(0);
    expect(text("HOLDFAST_AGENT_STATE=")).toBeGreaterThan(0);
    const found = processes.map(({ pid, text: seen }) => [pid, hits(Buffer.from(seen, "latin1"))]);
    expect(found.filter(([, names]) => (names as string[]).length > 0)).toEqual([]);
  });
});
