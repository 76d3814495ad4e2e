/** Requests that two parsers would read differently, each with another request hidden inside. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Target } from "./target.ts";

const target = new Target();

beforeAll(() => target.start());
afterAll(() => target.end());

const HIDDEN = "SMUGGLED";

/** A valid request; if the host parses it separately, it creates a session. */
function hidden(): string {
  const body = JSON.stringify({ agent: "demo", title: HIDDEN });
  return post([`Content-Length: ${body.length}`], body);
}

function post(lines: readonly string[], body: string, { end = "\r\n", as = target.token } = {}) {
  return [
    "POST /api/sessions HTTP/1.1",
    `Host: 127.0.0.1:${target.port}`,
    `Authorization: Bearer ${as}`,
    "Content-Type: application/json",
    ...lines,
    "",
    body,
  ].join(end);
}

const titles = async () => {
  const { sessions } = await target.client.call("listSessions", { query: { limit: 200 } });
  return sessions.map(({ title }) => title);
};

/** The end of a chunked body, and the hidden request after it. */
const ended = () => `0\r\n\r\n${hidden()}`;
const TE = "Transfer-Encoding: chunked";
const length = (text: string) => `Content-Length: ${Buffer.byteLength(text)}`;

const framings: Readonly<Record<string, () => string>> = {
  "CL and TE": () => post([length(ended()), TE], ended()),
  "TE and CL": () => post([TE, length(ended())], ended()),
  "CL of 0 and TE": () => post(["Content-Length: 0", TE], ended()),
  "TE twice, one unknown": () => post([TE, "Transfer-Encoding: cow"], ended()),
  "TE twice, chunked last": () => post(["Transfer-Encoding: identity", TE], ended()),
  "TE not chunked last": () => post(["Transfer-Encoding: chunked, identity"], ended()),
  "TE unknown": () => post(["Transfer-Encoding: xchunked"], ended()),
  "TE quoted": () => post(['Transfer-Encoding: "chunked"'], ended()),
  "TE behind a control character": () => post(["Transfer-Encoding: \x0bchunked"], ended()),
  "TE with a space before its colon": () => post(["Transfer-Encoding : chunked"], ended()),
  "TE hidden by a tab in its name": () => post(["Transfer-Encoding\t: chunked"], ended()),
  "TE behind a bare LF": () => post(["X-A: b\nTransfer-Encoding: chunked"], ended()),
  "TE behind a bare CR": () => post(["X-A: b\rTransfer-Encoding: chunked"], ended()),
  "TE behind a fold": () => post(["X-A: b\r\n Transfer-Encoding: chunked", TE], ended()),
  "TE folded": () => post(["Transfer-Encoding:\r\n chunked"], ended()),
  "CL twice": () => post(["Content-Length: 5", "Content-Length: 6"], `12345${hidden()}`),
  "CL twice alike": () => post(["Content-Length: 5", "Content-Length: 5"], `12345${hidden()}`),
  "CL as a list": () => post(["Content-Length: 5, 5"], `12345${hidden()}`),
  "CL with a sign": () => post(["Content-Length: +5"], `12345${hidden()}`),
  "CL below zero": () => post(["Content-Length: -1"], hidden()),
  "CL in hex": () => post(["Content-Length: 0x5"], `12345${hidden()}`),
  "CL with a space in it": () => post(["Content-Length: 1 0"], hidden()),
  "CL empty": () => post(["Content-Length:"], hidden()),
  "CL beyond all numbers": () => post([`Content-Length: ${"9".repeat(30)}`], hidden()),
  "CL folded": () => post(["Content-Length:\r\n 5"], `12345${hidden()}`),
  "an obs-fold": () => post(["X-A: b\r\n\tc", "Content-Length: 5"], `12345${hidden()}`),
  "lines that end in LF alone": () =>
    post(["Content-Length: 5"], `12345${hidden()}`, { end: "\n" }),
  "lines that end in CR alone": () =>
    post(["Content-Length: 5"], `12345${hidden()}`, { end: "\r" }),
  "a header without a colon": () => post(["X-A", "Content-Length: 5"], `12345${hidden()}`),
  "a header without a name": () => post([": b", "Content-Length: 5"], `12345${hidden()}`),
  "a NUL in a header": () => post(["X-A: b\0c", "Content-Length: 5"], `12345${hidden()}`),
  "a NUL in a name": () => post(["X\0A: b", "Content-Length: 5"], `12345${hidden()}`),
  "a chunk's size in hex with 0x": () => post([TE], `0x1\r\na\r\n${ended()}`),
  "a chunk's size below zero": () => post([TE], `-1\r\n${ended()}`),
  "a chunk's size beyond all numbers": () => post([TE], `${"F".repeat(17)}\r\n${ended()}`),
  "a chunk longer than its size": () => post([TE], `1\r\nab\r\n${ended()}`),
  "a chunk's line that ends in LF": () => post([TE], `1\na\n0\n\n${hidden()}`),
  "a chunk's extension with a bare LF": () => post([TE], `1;a\nb\r\na\r\n${ended()}`),
  "a tab in the first line": () => hidden().replace(" /api", "\t/api"),
  "a space before the method": () => ` ${hidden()}`,
  "a version that is none": () => hidden().replace("HTTP/1.1", "HTTP/1.10"),
  "a version to come": () => hidden().replace("HTTP/1.1", "HTTP/9.9"),
  "HTTP/0.9": () => `GET /api/sessions\r\n${hidden()}`,
  "HTTP/2": () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden()}`,
  TLS: () => `\x16\x03\x01\x02\x00\x01\x00${hidden()}`,
  "two Hosts": () => hidden().replace("Host:", "Host: evil.test\r\nHost:"),
};

describe("[S8] a request that can be read in two ways", () => {
  test.each(Object.keys(framings))(
    "is refused, once, and ends its connection: %s",
    async (name) => {
      const before = await titles();
      const { status, head, body } = await target.bytes(framings[name]?.() ?? "");
      expect([400, 413, 501, 505]).toContain(status);
      // A single answer shows that the rest was not parsed as a request.
      expect(`${head}${body}`.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
      expect(head.toLowerCase()).toContain("connection: close");
      expect(await titles()).toEqual(before);
    },
  );

  test("creates a session when it is sent by itself, so the test can fail", async () => {
    expect(await titles()).not.toContain(HIDDEN);
    const { status } = await target.bytes(
      hidden().replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"),
    );
    expect(status).toBe(201);
    expect(await titles()).toContain(HIDDEN);
  });
});

/** The statuses of all answers on a connection. */
const answers = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => code);

describe("[S8] an unread body", () => {
  const last = () =>
    `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\nConnection: close\r\n\r\n`;

  /**
   * The body of the first request is itself a request; if it is left unread, it would be parsed as
   * the next.
   */
  async function sent(first: string) {
    const before = await titles();
    const { head, body } = await target.bytes(`${first}${last()}`);
    expect(await titles()).toEqual(before);
    return answers(`${head}\r\n\r\n${body}`);
  }

  test("of an unknown caller is not parsed as the next request", async () => {
    expect(await sent(post([length(hidden())], hidden(), { as: "hfk_x" }))).toEqual(["401", "200"]);
  });

  test("of another type is not the next request", async () => {
    const text = post([length(hidden())], hidden()).replace("application/json", "text/plain");
    expect(await sent(text)).toEqual(["415", "200"]);
  });

  test("on a route without one, or on none, is not the next request", async () => {
    const elsewhere = (line: string) =>
      post([length(hidden())], hidden()).replace(/^POST \S+/, line);
    expect(await sent(elsewhere("DELETE /api/devices/dev_x"))).toEqual(["404", "200"]);
    expect(await sent(elsewhere("POST /nothing"))).toEqual(["404", "200"]);
    expect(await sent(elsewhere("GET /api/sessions"))).toEqual(["400", "200"]);
    expect(await sent(elsewhere("POST /health"))).toEqual(["405", "200"]);
  });

  test("in chunks is not parsed as the next request either, nor is its trailer", async () => {
    const size = hidden().length.toString(16);
    const ending = (trailer: string) => `${size}\r\n${hidden()}\r\n0\r\n${trailer}\r\n\r\n`;
    const chunks = ending("Authorization: Bearer x\r\nX-A: b");
    expect(await sent(post([TE], chunks))).toEqual(["400", "200"]);
    // A stranger's body of unknown length is not read; its connection ends with the answer.
    expect(await sent(post([TE], chunks, { as: "hfk_x" }))).toEqual(["401"]);
    expect(await sent(post([TE], ending("Content-Length: 5")))).toEqual(["400"]);
  });

  test("behind an upgrade that is refused ends with its connection", async () => {
    for (const path of ["/api/sessions", "/api/ws", "/health"]) {
      const lines = ["Connection: Upgrade", "Upgrade: websocket", "Origin: http://evil.test"];
      const text = post(lines, hidden()).replace("/api/sessions", path);
      const told = await sent(text);
      expect([path, told.length, ["403", "404"].includes(told[0] ?? "")]).toEqual([path, 1, true]);
    }
  });

  test("the host printed no errors and still works", async () => {
    expect(target.said).toBe("");
    expect(await target.isWell()).toBe(true);
  });
});
