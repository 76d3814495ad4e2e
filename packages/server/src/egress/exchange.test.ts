import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createNetServer, connect as netConnect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { makeCertificate } from "./testing/certificate.ts";
import { allOf, listen, openEgress, received } from "./testing/network.ts";

const KEY = "sk-live-0123456789abcdef";
const ADDRESS = "93.184.216.34";

interface Heard {
  readonly url: string | undefined;
  readonly method: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly socket: Socket;
}

/** An upstream that keeps what it heard and says `said`. */
function recorder(said = "fine") {
  const heard: Heard[] = [];
  const take = async (message: IncomingMessage, reply: ServerResponse) => {
    let body = "";
    for await (const chunk of message) body += chunk;
    const { url, method, rawHeaders, socket } = message;
    heard.push({ url, method, rawHeaders, body, socket });
    reply.end(said);
  };
  return { heard, server: createServer(take), take };
}

async function plainUpstream(said?: string) {
  const { heard, server } = recorder(said);
  return { heard, port: await listen(server) };
}

const model = makeCertificate(["api.example", "other.example"]);

/** The egress before a TLS upstream at api.example, with a credential for it. */
async function withModel(options: Partial<Parameters<typeof openEgress>[0]> = {}) {
  const { heard, take } = recorder();
  const port = await listen(createTlsServer(model, take));
  const egress = await openEgress({
    hosts: ["api.example", "other.example"],
    names: { "api.example": [ADDRESS], "other.example": [ADDRESS] },
    routes: { [`${ADDRESS}:443`]: port, [`${ADDRESS}:80`]: port },
    origins: [
      { prefix: "/model", base: "https://api.example/base" },
      { prefix: "/other", base: "https://other.example" },
    ],
    credentials: [{ host: "api.example", header: "x-api-key", value: KEY }],
    ca: model.cert,
    ...options,
  });
  return { ...egress, heard };
}

function headersOf({ rawHeaders }: Heard): string {
  return rawHeaders.join("\n").toLowerCase();
}

describe("origin form", () => {
  test("a request to a base URL reaches the real host with the real key", async () => {
    const { send, heard } = await withModel();
    const answer = await send(
      "POST /model/v1/messages?beta=1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX-Api-Key: placeholder\r\nx-api-key: again\r\nContent-Length: 5\r\n\r\nhello",
    );
    expect(answer).toContain("HTTP/1.1 200 OK");
    expect(answer).toContain("Connection: close");
    expect(answer).toContain("fine");
    expect(answer).not.toContain(KEY);
    const [one] = heard as [Heard];
    expect([one.method, one.url, one.body]).toEqual(["POST", "/base/v1/messages?beta=1", "hello"]);
    expect(one.rawHeaders).toEqual([
      "Host",
      "api.example",
      "x-api-key",
      KEY,
      "Content-Length",
      "5",
      "Connection",
      "keep-alive",
    ]);
  });

  test("a Connection header cannot take the credential away, nor a header with it", async () => {
    const { send, heard } = await withModel();
    await send(
      "GET /model HTTP/1.1\r\nHost: localhost\r\nConnection: x-api-key, x-private\r\nX-Private: 1\r\nProxy-Authorization: x\r\nTE: trailers\r\nKeep-Alive: 5\r\n\r\n",
    );
    expect(heard[0]?.rawHeaders).toEqual([
      "Host",
      "api.example",
      "x-api-key",
      KEY,
      "Connection",
      "keep-alive",
    ]);
    expect(heard[0]?.url).toBe("/base/");
  });

  test("a credential is sent to no other host", async () => {
    const { send, heard } = await withModel();
    await send("GET /other/x HTTP/1.1\r\nHost: localhost\r\nx-api-key: mine\r\n\r\n");
    await send("GET https://other.example/x HTTP/1.1\r\nHost: other.example\r\n\r\n");
    expect(heard.map(headersOf).join()).not.toContain(KEY);
    expect(heard).toHaveLength(2);
  });

  test("a credential is not sent in plain text, unless its host says http:// or is loopback", async () => {
    const { heard, port } = await plainUpstream();
    const { send } = await openEgress({
      hosts: ["api.example", "plain.example", `127.0.0.1:${port}`],
      names: { "api.example": [ADDRESS], "plain.example": [ADDRESS] },
      routes: { [`${ADDRESS}:80`]: port, [`${ADDRESS}:443`]: port },
      credentials: [
        { host: "api.example", header: "x-api-key", value: KEY },
        { host: "api.example:80", header: "x-api-key", value: KEY },
        { host: "http://plain.example", header: "x-api-key", value: KEY },
        { host: `127.0.0.1:${port}`, header: "x-api-key", value: KEY },
      ],
    });
    for (const url of ["http://api.example/", "http://api.example:443/"])
      await send(`GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`);
    expect(heard.map(headersOf).join()).not.toContain(KEY);
    await send("GET http://plain.example/ HTTP/1.1\r\nHost: plain.example\r\n\r\n");
    await send(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    expect(heard.slice(-2).every((one) => headersOf(one).includes(KEY))).toBe(true);
  });

  test("new credentials are used from the next request on", async () => {
    const { send, heard, egress } = await withModel();
    egress.setCredentials([{ host: "api.example", header: "Authorization", value: "Bearer new" }]);
    await send("GET /model/x HTTP/1.1\r\nHost: localhost\r\nauthorization: old\r\n\r\n");
    expect(headersOf(heard[0] as Heard)).toContain("authorization\nbearer new");
    expect(headersOf(heard[0] as Heard)).not.toContain("old");
  });

  test("a credential that no header can carry is refused without its value", () => {
    const wrong = { host: "api.example", header: "x-api-key", value: `${KEY}\r\nX: y` };
    const open = async (credential: typeof wrong) =>
      openEgress({ credentials: [credential] }).catch((error: Error) => error.message);
    return Promise.all([
      expect(open(wrong)).resolves.toMatch(/^The credential for "api.example" cannot/),
      expect(open(wrong)).resolves.not.toContain(KEY),
      expect(open({ ...wrong, value: KEY, header: "Host" })).resolves.toContain("its header"),
      expect(open({ ...wrong, value: KEY, header: "a b" })).resolves.toContain("its header"),
      expect(open({ ...wrong, value: KEY, host: "https://x" })).resolves.toContain("its host"),
    ]);
  });

  test.each(["/modelx/v1", "/model/../secret", "/model/%2e%2E/secret", "/model/a%2f..%2f", "/"])(
    "the path %s leads to no base URL",
    async (path) => {
      const { send, connected } = await withModel();
      const answer = await send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      expect(answer).toContain("HTTP/1.1 404");
      expect(connected).toEqual([]);
    },
  );

  test("a base URL whose host the policy lacks is refused", async () => {
    const { send, refusals } = await withModel({ hosts: ["other.example"] });
    const answer = await send("GET /model/x HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(answer).toContain("HTTP/1.1 403");
    expect(refusals).toEqual([{ host: "api.example", port: 443, reason: "not_allowed", times: 1 }]);
  });

  test("an upstream with a certificate of another name is not talked to", async () => {
    const { send, heard } = await withModel({
      hosts: ["wrong.example"],
      names: { "wrong.example": [ADDRESS] },
      credentials: [{ host: "wrong.example", header: "x-api-key", value: KEY }],
    });
    const answer = await send("GET https://wrong.example/ HTTP/1.1\r\nHost: wrong.example\r\n\r\n");
    expect(answer).toContain("HTTP/1.1 502");
    expect(heard).toEqual([]);
  });

  test("a second request uses the upstream's open connection, and a new policy opens another", async () => {
    const { send, heard, connected, egress } = await withModel();
    const get = () => send("GET /model/x HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await get();
    await get();
    expect(connected).toHaveLength(1);
    expect(heard[1]?.socket === heard[0]?.socket).toBe(true);
    egress.allow("more.example");
    await get();
    expect(connected).toHaveLength(2);
  });

  test("each event of a streamed reply arrives before the next is sent", async () => {
    let reply: ServerResponse | undefined;
    const port = await listen(
      createServer((_, given) => {
        reply = given;
        given.writeHead(200, { "Content-Type": "text/event-stream" });
        given.flushHeaders();
      }),
    );
    const { dial } = await openEgress({
      hosts: [`127.0.0.1:${port}`],
      origins: [{ prefix: "/m", base: `http://127.0.0.1:${port}` }],
    });
    const socket = await dial();
    socket.write("GET /m/s HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await received(socket, "text/event-stream");
    for (let n = 0; n < 5; n++) {
      const event = `data: ${n}\n\n`;
      const arrives = received(socket, event);
      reply?.write(event);
      await arrives;
    }
  });

  test("each part of a streamed request arrives before the next is sent", async () => {
    const parts: string[] = [];
    const server = createServer((message) => {
      message.on("data", (chunk) => {
        parts.push(String(chunk));
        server.emit("part");
      });
    });
    const port = await listen(server);
    const { dial } = await openEgress({
      hosts: [`127.0.0.1:${port}`],
      origins: [{ prefix: "/m", base: `http://127.0.0.1:${port}` }],
    });
    const socket = await dial();
    socket.write("POST /m HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const part of ["a", "b", "c"]) {
      const arrives = once(server, "part");
      socket.write(`1\r\n${part}\r\n`);
      await arrives;
    }
    expect(parts).toEqual(["a", "b", "c"]);
  });

  test("a client that leaves ends its upstream request", async () => {
    const server = createServer();
    const port = await listen(server);
    const { dial } = await openEgress({
      hosts: [`127.0.0.1:${port}`],
      origins: [{ prefix: "/m", base: `http://127.0.0.1:${port}` }],
    });
    const socket = await dial();
    socket.write("GET /m HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [message] = await once(server, "request");
    socket.destroy();
    await once(message.socket, "close");
  });

  test("a reply that the upstream breaks off is broken off inside too", async () => {
    const port = await listen(
      createNetServer((socket) => {
        socket.on("error", () => undefined);
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
      }),
    );
    const url = `http://127.0.0.1:${port}/`;
    const { port: proxy } = await openEgress({ hosts: [`127.0.0.1:${port}`] });
    const asked = request({
      host: "127.0.0.1",
      port: proxy,
      path: url,
      setHost: false,
      headers: { host: `127.0.0.1:${port}` },
    });
    asked.end();
    const [reply] = await once(asked, "response");
    reply.resume();
    await expect(once(reply, "end")).rejects.toThrow("aborted");
  });

  test("upgrades are refused in words, and an offer of h2c is ignored", async () => {
    const { send, heard } = await withModel();
    const upgrade = (to: string) =>
      send(
        `GET /model/x HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: ${to}\r\n\r\n`,
      );
    const refused = await upgrade("websocket");
    expect(refused).toContain("HTTP/1.1 501");
    expect(refused).toContain("Use https, through a CONNECT tunnel.");
    expect(heard).toEqual([]);
    expect(await upgrade("h2c")).toContain("HTTP/1.1 200");
    expect(headersOf(heard[0] as Heard)).not.toContain("upgrade");
  });

  test("TRACE, which would show the credential, is refused", async () => {
    const { send, heard } = await withModel();
    expect(await send("TRACE /model/x HTTP/1.1\r\nHost: localhost\r\n\r\n")).toContain(" 405 ");
    expect(heard).toEqual([]);
  });
});

describe("absolute form", () => {
  const get = (host: string) => `GET http://${host}/x?y HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

  test("a request to an allowed name reaches it, and others are refused in words", async () => {
    const { heard, port } = await plainUpstream();
    const { send, refusals, resolved } = await openEgress({
      hosts: ["good.example"],
      names: { "good.example": [ADDRESS], "bad.example": [ADDRESS] },
      routes: { [`${ADDRESS}:80`]: port },
    });
    expect(await send(get("good.example"))).toContain("fine");
    expect(heard[0]?.url).toBe("/x?y");
    const refused = await send(get("bad.example"));
    expect(refused).toContain("HTTP/1.1 403 Forbidden");
    expect(refused).toContain("Holdfast-Refused: not_allowed");
    expect(refused).toContain("refused the connection to bad.example:80.");
    expect(refused).toContain("ask the user to allow it for this session");
    expect(refusals).toEqual([{ host: "bad.example", port: 80, reason: "not_allowed", times: 1 }]);
    // A name that is not allowed is not even asked for, because its labels can carry data.
    expect(resolved).toEqual(["good.example"]);
  });

  test("a host that is allowed is reachable at once", async () => {
    const { port } = await plainUpstream();
    const { send, egress } = await openEgress({
      names: { "good.example": [ADDRESS] },
      routes: { [`${ADDRESS}:80`]: port },
    });
    expect(await send(get("good.example"))).toContain("HTTP/1.1 403");
    egress.allow("good.example");
    expect(await send(get("good.example"))).toContain("HTTP/1.1 200");
    expect(() => egress.allow("*")).toThrow("Known forms");
    expect(await send(get("good.example"))).toContain("HTTP/1.1 200");
  });

  test.each([
    ["a loopback", "127.0.0.1"],
    ["a private", "10.0.0.1"],
    ["a metadata", "169.254.169.254"],
    ["a mapped", "::ffff:127.0.0.1"],
    ["a translated", "64:ff9b::7f00:1"],
  ])("a name that resolves to %s address is refused, with a body too", async (_, address) => {
    const { send, refusals, connected } = await openEgress({
      mode: "open",
      names: { "rebind.example": [address] },
    });
    const post =
      "POST http://rebind.example/ HTTP/1.1\r\nHost: rebind.example\r\nContent-Length: 2\r\n\r\nhi";
    for (const bytes of [get("rebind.example"), post])
      expect(await send(bytes)).toContain("Holdfast-Refused: private_address");
    expect(refusals).toEqual([
      { host: "rebind.example", port: 80, reason: "private_address", times: 1 },
    ]);
    expect(connected).toEqual([]);
  });

  test("a name that resolves differently the second time gains nothing", async () => {
    const { heard, port } = await plainUpstream();
    const answers = [[ADDRESS], ["127.0.0.1"]];
    const { send, connected, resolved } = await openEgress({
      mode: "open",
      names: { "flip.example": () => answers.shift() ?? ["127.0.0.1"] },
      routes: { [`${ADDRESS}:80`]: port, "127.0.0.1:80": port },
      limits: { unused: 1 },
    });
    expect(await send(get("flip.example"))).toContain("HTTP/1.1 200");
    expect(resolved).toHaveLength(1);
    await expect.poll(() => heard[0]?.socket.destroyed).toBe(true);
    expect(await send(get("flip.example"))).toContain("HTTP/1.1 403");
    expect(connected).toEqual([`${ADDRESS}:80`]);
  });

  test("of several addresses only the public ones are connected to", async () => {
    const { port } = await plainUpstream();
    const tried: (readonly string[])[] = [];
    const { send } = await openEgress({
      mode: "open",
      names: { "mixed.example": ["10.0.0.1", ADDRESS, "::1"] },
      connect: (addresses) => {
        tried.push(addresses);
        return netConnect({ port, host: "127.0.0.1" });
      },
    });
    await send(get("mixed.example"));
    expect(tried).toEqual([[ADDRESS]]);
  });

  test("a private address is reached by a name only when the address is named too", async () => {
    const { port } = await plainUpstream();
    const names = { "registry.corp": ["10.1.2.3"] };
    const routes = { "10.1.2.3:80": port };
    const { send, egress } = await openEgress({ hosts: ["registry.corp"], names, routes });
    expect(await send(get("registry.corp"))).toContain("Holdfast-Refused: private_address");
    egress.allow("10.1.2.3");
    expect(await send(get("registry.corp"))).toContain("HTTP/1.1 200");
  });

  test("the control API is not reachable by name or redirect", async () => {
    const control = await plainUpstream("control");
    const redirect = await listen(
      createServer((_, reply) => {
        reply.writeHead(302, { Location: `http://127.0.0.1:${control.port}/` }).end();
      }),
    );
    const { send } = await openEgress({
      mode: "open",
      hosts: [`127.0.0.1:${control.port}`],
      forbidden: [`127.0.0.1:${control.port}`],
      names: { "rebind.example": ["127.0.0.1"], "good.example": [ADDRESS] },
      routes: { [`${ADDRESS}:80`]: redirect },
    });
    const redirected = await send(get("good.example"));
    expect(redirected).toContain(`Location: http://127.0.0.1:${control.port}/`);
    for (const host of ["127.0.0.1", "localhost", "rebind.example"]) {
      const refused = await send(get(`${host}:${control.port}`));
      expect(refused).toContain("Holdfast-Refused: control_api");
      expect(refused).toContain("cannot be allowed");
    }
    expect(control.heard).toEqual([]);
  });

  test("a stricter policy ends what it refuses and leaves the rest", async () => {
    const replies: ServerResponse[] = [];
    const server = createServer((_, reply) => {
      replies.push(reply);
      reply.flushHeaders();
    });
    const port = await listen(server);
    const { dial, egress } = await openEgress({
      mode: "open",
      names: { "a.example": [ADDRESS], "b.example": [ADDRESS] },
      routes: { [`${ADDRESS}:80`]: port },
    });
    const [a, b] = [await dial(), await dial()];
    a.write(get("a.example"));
    b.write(get("b.example"));
    await Promise.all([received(a, "200 OK"), received(b, "200 OK")]);
    egress.setPolicy({ mode: "allow", hosts: ["a.example"], forbidden: [] });
    const late = [received(a, "late"), received(b, "late").catch(() => "closed")];
    for (const reply of replies) reply.write("late");
    expect((await Promise.all(late))[1]).toBe("closed");
    await expect.poll(() => egress.counters().open).toBe(1);
  });

  test("repeated refusals are counted and reported once", async () => {
    const { send, refusals, egress } = await openEgress({});
    for (let n = 0; n < 5; n++) await send(get("bad.example"));
    await send(get("bad.example:81"));
    expect(refusals.map(({ port }) => port)).toEqual([80, 81]);
    expect(egress.counters().refused).toBe(6);
    egress.setPolicy({ mode: "none", hosts: [], forbidden: [] });
    expect(await send(get("bad.example"))).toContain("This session has no network.");
    expect(refusals).toHaveLength(3);
  });

  test("a name without address, and one that refuses, are said to be unreachable", async () => {
    const gone = createNetServer();
    const port = await listen(gone);
    await new Promise((resolve) => gone.close(resolve));
    const { send, refusals } = await openEgress({
      mode: "open",
      hosts: [`127.0.0.1:${port}`],
    });
    expect(await send(get("nowhere.example"))).toContain("the name has no address");
    expect(await send(get(`127.0.0.1:${port}`))).toContain("HTTP/1.1 502");
    expect(refusals).toEqual([]);
  });
});

describe("a head that two servers could read differently", () => {
  const url = "http://good.example/";

  test.each([
    ["two Hosts", `GET ${url} HTTP/1.1\r\nHost: good.example\r\nHost: bad.example\r\n\r\n`],
    ["another Host", `GET ${url} HTTP/1.1\r\nHost: bad.example\r\n\r\n`],
    ["another port", `GET ${url} HTTP/1.1\r\nHost: good.example:81\r\n\r\n`],
    ["no Host", `GET ${url} HTTP/1.1\r\n\r\n`],
    ["a user name", "GET http://u:p@good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n"],
    [
      "a backslash",
      "GET http://bad.example\\@good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
    ],
    ["a decimal address", "GET http://2130706433/ HTTP/1.1\r\nHost: 2130706433\r\n\r\n"],
    ["a hex address", "GET http://0x7f.1/ HTTP/1.1\r\nHost: 0x7f.1\r\n\r\n"],
    ["another Host in origin form", "GET /m HTTP/1.1\r\nHost: good.example\r\n\r\n"],
    [
      "two lengths",
      `POST ${url} HTTP/1.1\r\nHost: good.example\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na`,
    ],
    [
      "length and encoding",
      `POST ${url} HTTP/1.1\r\nHost: good.example\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "another encoding",
      `POST ${url} HTTP/1.1\r\nHost: good.example\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "an odd encoding",
      `POST ${url} HTTP/1.1\r\nHost: good.example\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "an encoding in HTTP/1.0",
      `POST ${url} HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["a folded header", `GET ${url} HTTP/1.1\r\nHost: good.example\r\nX: a\r\n b\r\n\r\n`],
    ["a space before the colon", `GET ${url} HTTP/1.1\r\nHost: good.example\r\nX : a\r\n\r\n`],
    ["bare line feeds", `GET ${url} HTTP/1.1\nHost: good.example\n\n`],
    ["TLS", "\x16\x03\x01\x00\x05hello"],
    [
      "a CONNECT with a body",
      "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example\r\nContent-Length: 3\r\n\r\nabc",
    ],
    [
      "a CONNECT with another Host",
      "CONNECT good.example:443 HTTP/1.1\r\nHost: bad.example\r\n\r\n",
    ],
    ["a CONNECT without a port", "CONNECT good.example HTTP/1.1\r\nHost: good.example\r\n\r\n"],
  ])("with %s is refused and forwarded nowhere", async (_, bytes) => {
    const { send, resolved, connected } = await openEgress({
      mode: "open",
      names: { "good.example": [ADDRESS] },
      origins: [{ prefix: "/m", base: "http://good.example" }],
    });
    expect(await send(bytes)).toContain("HTTP/1.1 400 Bad Request");
    expect([...resolved, ...connected]).toEqual([]);
  });

  test("the body of a GET request is framed anew and cannot be a second request", async () => {
    const { heard, port } = await plainUpstream();
    const { send } = await openEgress({ hosts: [`127.0.0.1:${port}`] });
    const inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    await send(
      `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    );
    expect(heard.map(({ url, body }) => [url, body])).toEqual([["/", inner]]);
  });

  test("a second request on a connection closes it", async () => {
    const server = createServer();
    const port = await listen(server);
    const { dial } = await openEgress({ hosts: [`127.0.0.1:${port}`] });
    const one = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    const socket = await dial();
    socket.write(one);
    await once(server, "request");
    const next = Promise.race([
      allOf(socket).then(() => "closed"),
      once(server, "request").then(() => "forwarded"),
    ]);
    socket.write(one);
    expect(await next).toBe("closed");
  });
});
