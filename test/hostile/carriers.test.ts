/** Every place in a request that might carry a credential, on every route of a real host. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import {
  bodies,
  bodyOf,
  closed,
  DATA,
  everything,
  pathOf,
  unknown,
  type Victim,
  victimOf,
} from "./table.ts";
import { type Asking, Target } from "./target.ts";

const target = new Target();
let victim: Victim;
let before: unknown;

beforeAll(async () => {
  await target.start();
  victim = await victimOf(target);
  before = await everything(target, victim.ids.sessionId);
});

afterAll(() => target.end());

interface Carried extends Asking {
  /** Fields in addition to the minimal body of the route. */
  readonly fields?: object;
  readonly path?: (path: string) => string;
}

const header = (name: string, value: (token: string) => string) => (token: string) =>
  ({ headers: [[name, value(token)]] }) as Carried;
const query = (name: string) => (token: string) =>
  ({ path: (path) => `${path}?${name}=${token}` }) as Carried;
const authorization = (value: (token: string) => string) => header("Authorization", value);

const carriers: Readonly<Record<string, (token: string) => Carried>> = {
  "?token=": query("token"),
  "?access_token=": query("access_token"),
  "?api_key=": query("api_key"),
  "?authorization=": query("authorization"),
  "?ticket= with a token": query("ticket"),
  "a cookie": header("Cookie", (token) => `token=${token}; holdfast=${token}; session=${token}`),
  "a cookie named as the header": header("Cookie", (token) => `Authorization=Bearer ${token}`),
  "x-api-key": header("X-Api-Key", (token) => token),
  "x-auth-token": header("X-Auth-Token", (token) => token),
  "x-access-token": header("X-Access-Token", (token) => token),
  "proxy-authorization": header("Proxy-Authorization", (token) => `Bearer ${token}`),
  "x-forwarded-authorization": header("X-Forwarded-Authorization", (token) => `Bearer ${token}`),
  "x-original-authorization": header("X-Original-Authorization", (token) => `Bearer ${token}`),
  "sec-websocket-protocol": header("Sec-WebSocket-Protocol", (token) => `bearer, ${token}`),
  "a referer": header("Referer", (token) => `http://127.0.0.1/?token=${token}`),
  "basic, as a password": authorization(
    (token) => `Basic ${Buffer.from(`host:${token}`).toString("base64")}`,
  ),
  "basic, as a name": authorization(
    (token) => `Basic ${Buffer.from(`${token}:`).toString("base64")}`,
  ),
  digest: authorization((token) => `Digest username="${token}"`),
  "the scheme Token": authorization((token) => `Token ${token}`),
  "no scheme": authorization((token) => token),
  "a quoted token": authorization((token) => `Bearer "${token}"`),
  "two tokens in one": authorization((token) => `Bearer ${token} ${token}`),
  "half of it": authorization((token) => `Bearer ${token.slice(0, -1)}`),
  "one letter more": authorization((token) => `Bearer ${token}A`),
  "upper case": authorization((token) => `Bearer ${token.toUpperCase()}`),
  "the path": (token) => ({ path: (path) => `${path.replace(/[a-z]+_0+7\w+/, token)}/${token}` }),
  "a name before the host": (token) => ({
    path: (path) => `http://${token}:${token}@127.0.0.1:${target.port}${path}`,
  }),
  "the body": (token) => ({ fields: { token } }),
  "the body, by other names": (token) => ({
    fields: { authorization: `Bearer ${token}`, access_token: token, apiKey: token },
  }),
};

async function sent(name: (typeof closed)[number][0], method: string, carried: Carried) {
  const { path = (same: string) => same, fields, ...asking } = carried;
  const body = fields === undefined ? bodyOf(name) : JSON.stringify({ ...bodies[name], ...fields });
  const target_ = path(pathOf(name, unknown));
  const asked = { as: null, ...(body === undefined ? {} : { body }), ...asking };
  return target.ask(method, target_, asked);
}

describe("[S2] [P35] a right token in a wrong place", () => {
  test.each(Object.keys(carriers))("opens no route: %s", async (name) => {
    const carrier = carriers[name]?.(target.token) as Carried;
    for (const [route, { method, orToken, body }] of closed) {
      // A route without a body refuses any body, also with GET.
      if (carrier.fields !== undefined && body === undefined) continue;
      const { status, body: told } = await sent(route, method, carrier);
      // Routes with `orToken` check a token in the body; this one belongs to no run.
      const judged = name === "the body" && orToken === true;
      expect([route, status]).toEqual([route, judged ? 403 : 401]);
      expect(told).not.toContain(DATA);
    }
  });

  test("opens no route when it is sent twice, alike or with a wrong one, in either order", async () => {
    const right = ["Authorization", `Bearer ${target.token}`] as const;
    const wrong = ["Authorization", "Bearer hfk_wrong"] as const;
    const pairs = [
      [right, right],
      [right, wrong],
      [wrong, right],
      [["authorization", `Bearer ${target.token}`] as const, ["AUTHORIZATION", "x"] as const],
    ];
    for (const headers of pairs) {
      for (const [route, { method }] of closed) {
        const { status, body } = await sent(route, method, { headers });
        expect([route, status]).toEqual([route, 400]);
        expect(body).toContain('"bad_input"');
      }
    }
  });

  test("is never echoed by the answer that refuses it", async () => {
    for (const carrier of Object.values(carriers)) {
      const { fields: _none, ...carried } = carrier(target.token);
      const { head, body } = await sent("getSession", "GET", carried);
      expect(`${head}${body}`).not.toContain(target.token);
    }
  });
});

describe("[S2] the one way that counts", () => {
  test.each(["Bearer", "bearer", "BEARER"])(
    "%s opens every route to a right token",
    async (scheme) => {
      for (const [route, { method, stream }] of closed) {
        if (stream === "websocket") continue;
        const headers = [["Authorization", `${scheme} ${target.token}`]] as const;
        // All but the credential is wrong, so that the request changes no data.
        const { status } = await sent(route, method, {
          headers,
          ...(bodyOf(route) && { body: "[]" }),
        });
        expect([route, [200, 400, 404].includes(status)]).toEqual([route, true]);
      }
    },
  );

  test.each(["Bearer", "bearer", "BEARER"])("%s opens none to a wrong one", async (scheme) => {
    for (const [route, { method }] of closed) {
      const headers = [["Authorization", `${scheme} hfk_${"A".repeat(43)}`]] as const;
      expect([route, (await sent(route, method, { headers })).status]).toEqual([route, 401]);
    }
  });
});

describe("[S2] [P35] a WebSocket", () => {
  const knock = (query = "", options: ConstructorParameters<typeof WebSocket>[2] = {}) =>
    new WebSocket(`ws://127.0.0.1:${target.port}/api/ws${query}`, options);

  /** Messages and close code of a socket that asks for data without a credential. */
  async function heard(socket: WebSocket, first: object) {
    const said: string[] = [];
    socket.on("message", (data) => said.push(String(data)));
    socket.on("error", (error) => said.push(`refused: ${error.message}`));
    socket.on("open", () => {
      socket.send(JSON.stringify(first));
      socket.send(JSON.stringify({ type: "subscribe_sessions" }));
      const session = victim.ids.sessionId;
      socket.send(JSON.stringify({ type: "subscribe", session, after: 0 }));
    });
    const code = await new Promise<number>((resolve) => socket.on("close", resolve));
    return { code, said };
  }

  const subscribe = () => ({ type: "subscribe", session: victim.ids.sessionId, after: 0 });

  test("takes no token from its address, a cookie or a protocol, and is silent before it has one", async () => {
    const { token } = target;
    const { ticket } = await target.client.call("createTicket", { body: {} });
    const ways = [
      () => knock(`?token=${token}`),
      () => knock(`?access_token=${token}`),
      () => knock(`?ticket=${ticket}`),
      () => knock("", { headers: { cookie: `token=${token}` } }),
      () => knock("", { headers: { "x-api-key": token } }),
      () => knock(),
    ];
    for (const way of ways) {
      expect(await heard(way(), subscribe())).toEqual({ code: 4401, said: [] });
    }
    const wrong = [
      { type: "auth", token: "x" },
      { type: "auth" },
      { type: "ping" },
      { token },
      [token],
    ];
    for (const first of wrong) {
      expect(await heard(knock(), first)).toEqual({ code: 4401, said: [] });
    }
  });

  test("is refused before it opens when the header is wrong, twice, or of another scheme", async () => {
    const { token } = target;
    for (const value of ["Bearer x", `Basic ${token}`, token, `Bearer ${token}, Bearer ${token}`]) {
      const { said } = await heard(knock("", { headers: { authorization: value } }), subscribe());
      expect(said).toEqual([expect.stringMatching(/^refused: Unexpected server response: 40[01]/)]);
    }
  });

  test("opens to a right token as its first message, or in its header", async () => {
    const bearer = { headers: { authorization: `Bearer ${target.token}` } };
    for (const [options, said] of [
      [bearer, subscribe()],
      [{}, { type: "auth", token: target.token }],
    ] as const) {
      const socket = knock("", options);
      socket.on("open", () => {
        socket.send(JSON.stringify(said));
        socket.send(JSON.stringify(subscribe()));
      });
      const text = await new Promise<string>((resolve) => {
        socket.on("message", (data) => String(data).includes(DATA) && resolve(String(data)));
      });
      expect(text).toContain(DATA);
      socket.terminate();
    }
  });
});

test("[S2] all data is unchanged, and the host printed no errors", async () => {
  const now = await everything(target, victim.ids.sessionId);
  expect(now).toEqual(before);
  expect(target.said).toBe("");
});
