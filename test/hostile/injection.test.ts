/**
 * Line ends, control characters and imitations of the stream framing, in every text a client may
 * send.
 */

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Event } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { pathOf, unknown } from "./table.ts";
import { Target } from "./target.ts";

const target = new Target();

beforeAll(() => target.start());
afterAll(() => target.end());

const FORGED = "FORGED";

/** Texts that would change the meaning of a line if they were written unescaped. */
const texts = [
  "a\rb",
  "a\nb",
  "a\r\nb",
  "a\n\nb",
  "a\u2028b",
  "a\u2029b",
  "a\u0085b",
  "a\u0000b",
  "a\u001b[2J\u001b]0;x\u0007b",
  "a\u009b2Jb",
  "a\u202eb",
  "a\ufeffb",
  "a\ud800b",
  "a\\nb\\u000ab",
  `a\n\nid: 999999\ndata: {"kind":"${FORGED}","seq":999999}\n\n`,
  `a\r\n\r\nevent: end\r\ndata: {"reason":"${FORGED}"}\r\n\r\n`,
  `a\nretry: 1\nevent: token\ndata: ${FORGED}\n\n`,
  `a\r\nX-Forged: ${FORGED}\r\n\r\n<script>`,
  `a\nholdfast: host: ${FORGED}`,
  `a","kind":"${FORGED}","x":"`,
];

/** A selection, for tests in which each text costs a credential. */
const names = texts.slice(0, 15);

/** Creates a session with every text in every text field. */
async function spoken(): Promise<string> {
  const { client } = target;
  const first = texts[14] as string;
  // An unknown model fails the run, with an error that repeats the model's name.
  const failing = await target.create("/say never", { title: first, model: first });
  await target.untilKind(failing.id, "run.failed");
  const made = await target.create("/ask", { title: first, clientId: `${first}!` });
  const sessionId = made.id;
  const params = { sessionId };
  const asked = await target.untilKind(sessionId, "approval.requested");
  const { runId, approvalId } = asked;
  for (const text of texts) {
    await client.call("updateSession", { params, body: { title: text } });
    const body = { content: `/say ${text}`, clientId: text };
    const { queued } = await client.call("sendMessage", { params, body });
    const edited = { params: { ...params, messageId: queued?.id ?? "" } };
    await client.call("editQueued", { ...edited, body: { content: `/say ${text} again` } });
  }
  const answer = { decision: "allow" as const, reason: first, key: first };
  await client.call("decideApproval", { params: { runId, approvalId }, body: answer });
  return sessionId;
}

/** All bytes that a follower receives until the session has this many events. */
function streamed(path: string, last: () => Promise<number>): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(target.port, "127.0.0.1");
    const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${target.port}`];
    socket.write(`${[...lines, `Authorization: Bearer ${target.token}`].join("\r\n")}\r\n\r\n`);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      last().then((seq) => {
        if (!text.includes(`\nid: ${seq}\n`)) return;
        socket.destroy();
        resolve(text);
      }, reject);
    });
    socket.on("error", reject);
  });
}

/** Removes HTTP's chunk framing, whose sizes stand on lines of their own. */
function unchunked(text: string): string {
  let rest = Buffer.from(text.slice(text.indexOf("\r\n\r\n") + 4));
  const parts: Buffer[] = [];
  for (;;) {
    const end = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.toString("latin1", 0, end), 16);
    if (end < 0 || !(size > 0) || rest.length < end + 2 + size) break;
    parts.push(rest.subarray(end + 2, end + 2 + size));
    rest = rest.subarray(end + 4 + size);
  }
  return Buffer.concat(parts).toString();
}

describe("[S7] a text with line ends and control characters", () => {
  let session: string;
  let events: Event[];

  beforeAll(async () => {
    session = await spoken();
    const isLast = (event: Event) => event.kind === "run.completed";
    // The run of the question, and one run per message.
    for (let after = 0, n = 0; n <= texts.length; n++) {
      after = (await target.until(session, isLast, after)).seq;
    }
    events = await target.events(session);
  });

  test("is one frame on the stream, whatever is in it", async () => {
    const path = `/api/sessions/${session}/stream?after=0`;
    const text = unchunked(await streamed(path, async () => events.at(-1)?.seq ?? 0));
    // The stream ends lines with LF alone, so a CR would come from a text.
    expect(text).not.toContain("\r");
    const frames = text.split("\n\n").filter((frame) => frame !== "");
    const named = /^(retry: \d+|event: (heartbeat|token)\ndata: \{[^\n]*\})$/;
    const facts = frames.filter((frame) => !named.test(frame));
    expect(facts).toHaveLength(events.length);
    facts.forEach((frame, n) => {
      const [id, data = "", ...more] = frame.split("\n");
      expect([id, more]).toEqual([`id: ${n + 1}`, []]);
      expect(JSON.parse(data.replace(/^data: /, ""))).toEqual(events[n]);
    });
  });

  test("is in one message on a WebSocket, whatever is in it", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${target.port}/api/ws`, {
      headers: { authorization: `Bearer ${target.token}` },
    });
    const got: Event[] = [];
    const types = new Set<string>();
    socket.on("open", () => socket.send(JSON.stringify({ type: "subscribe", session, after: 0 })));
    await new Promise<void>((resolve) => {
      socket.on("message", (data) => {
        const message = JSON.parse(String(data)) as { type: string; events?: Event[] };
        types.add(message.type);
        got.push(...(message.events ?? []));
        if (got.length >= events.length) resolve();
      });
    });
    socket.terminate();
    expect(got).toEqual(events);
    expect([...types].sort()).toEqual(
      expect.arrayContaining(["events", "heartbeat", "subscribed"]),
    );
    expect(types.has("end")).toBe(false);
  });

  test("comes out as it went in, and makes no event of its own", async () => {
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1));
    expect(events.filter(({ kind }) => (kind as string) === FORGED)).toEqual([]);
    const titles = events.flatMap((event) => (event.kind === "session.renamed" ? event.title : []));
    // A title is trimmed, and a lone surrogate is replaced.
    const kept = texts.map((text) => text.trim().toWellFormed());
    expect(titles.map((title) => title.toWellFormed())).toEqual(kept);
    const decided = events.find((event) => event.kind === "approval.decided");
    expect(decided).toMatchObject({ reason: texts[14] });
  });

  test("is no header of any answer, and no cookie, place or second answer", async () => {
    const asks: (readonly [string, string, object])[] = texts.flatMap((text) => [
      ["POST", "/api/sessions", { agent: text }],
      ["POST", "/api/login", { code: text, name: text }],
      ["POST", "/api/links", { session: text }],
      ["POST", "/api/keys", { name: text, tenant: text }],
      ["POST", pathOf("decideApproval", unknown), { decision: text, token: text }],
      ["POST", pathOf("resumeRun", unknown), { token: text, waitId: text }],
      ["PATCH", pathOf("updateSession", unknown), { title: text }],
    ]);
    for (const [method, path, sent] of asks) {
      const { status, head, body } = await target.ask(method, path, { body: JSON.stringify(sent) });
      expect(status).toBeLessThan(500);
      expect(head).not.toMatch(/forged|set-cookie|location/i);
      expect(head.match(/HTTP\/1\.1/g)).toHaveLength(1);
      // A response is one JSON document to its end.
      expect(() => JSON.parse(Buffer.from(body, "latin1").toString())).not.toThrow();
    }
  });

  test("names devices and keys, and is one line in the file that keeps them", async () => {
    const { client } = target;
    const asking = await target.create("/ask");
    const asked = await target.untilKind(asking.id, "approval.requested");
    const { runId, approvalId } = asked;
    let token = "";
    for (const name of names) {
      const { code } = await client.call("createLink", { body: {} });
      const login = await client.call("login", { body: { code, name } });
      token = login.token;
      await client.call("createKey", { body: { name } });
    }
    const answer = { params: { runId, approvalId }, body: { decision: "deny" as const } };
    await target.as(token).call("decideApproval", answer);
    await target.kill();
    await target.start();
    const { devices } = await client.call("listDevices");
    const { keys } = await client.call("listKeys");
    const kept = names.map((text) => text.trim().toWellFormed());
    expect(devices.map(({ name }) => name.toWellFormed())).toEqual(kept);
    expect(keys.map(({ name }) => name.toWellFormed())).toEqual(kept);
    // The event names the credential that made the last change.
    const decided = (await target.events(asking.id)).find(
      (event) => event.kind === "approval.decided",
    );
    expect(decided).toMatchObject({ by: kept.at(-1) });
  });

  test("is in no line of the host's log, which has only the host's own lines", async () => {
    // A directory whose name imitates a log line, and then an internal error.
    const workspace = join(
      mkdtempSync(join(tmpdir(), "holdfast-hostile-")),
      `x\nholdfast: host: ${FORGED}\u001b[2J`,
    );
    mkdirSync(workspace);
    const place = { workspace: { kind: "in-place", path: workspace } };
    const agents = join(target.data, "agents");
    renameSync(agents, `${agents}-away`);
    writeFileSync(agents, "");
    const { id } = await target.create(`/say ${texts[18]}`, { ...place, title: texts[18] });
    await expect.poll(() => target.said).toContain("ENOTDIR");
    rmSync(agents);
    renameSync(`${agents}-away`, agents);
    rmSync(join(workspace, ".."), { recursive: true });
    await target.client.call("endSession", { params: { sessionId: id } }).catch(() => undefined);
    const foreign = target.said.split("\n").filter((line) => !isOurs.test(line));
    expect(foreign).toEqual([]);
    expect(target.said).not.toContain(FORGED);
    expect(target.said).not.toContain("\u001b");
  });
});

/** A line about a session or the host, or a line of a stack trace. */
const isOurs = /^(|holdfast: (host|sess_[0-9a-f]{32}): .*| {4}at .*)$/;
