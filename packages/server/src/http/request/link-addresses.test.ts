import { expect, test } from "vitest";
import { type CameBy, linkAddresses, ownAddress } from "./link-addresses.ts";

const here: CameBy = { host: "127.0.0.1:4860", origin: "http://127.0.0.1:4860" };
const at = (host: string, ...names: string[]) => ({ host, port: 4860, names });

test("on loopback a link works on this machine alone, and says so", () => {
  expect(linkAddresses(at("127.0.0.1"), here)).toEqual({
    address: "http://127.0.0.1:4860",
    others: [],
    reach: "this-machine",
  });
  for (const host of ["localhost:4860", "[::1]:4860"]) {
    expect(linkAddresses(at("::1"), { host, origin: undefined }).reach).toBe("this-machine");
  }
});

test("a caller that used another name gets a link with that name, as its browser wrote it", () => {
  const origin = "https://tunnel.example:8443";
  const cameBy = { host: "tunnel.example:8443", origin };
  const names = ["box.example", "tunnel.example:8443"];
  expect(linkAddresses(at("127.0.0.1", ...names), cameBy)).toEqual({
    address: origin,
    others: ["https://box.example"],
    reach: "network",
  });
  const curl = { host: "BOX.example:4860", origin: undefined };
  expect(linkAddresses(at("0.0.0.0", "box.example"), curl)).toEqual({
    address: "http://box.example:4860",
    others: [],
    reach: "network",
  });
});

test("a host that listens beyond loopback offers its network addresses, also to callers on its own machine", () => {
  const names = ["192.168.1.5", "[fd00::7]", "box.example:4860", "tunnel.example:443"];
  expect(linkAddresses(at("0.0.0.0", ...names), here)).toEqual({
    address: "http://192.168.1.5:4860",
    others: ["http://[fd00::7]:4860", "http://box.example:4860", "https://tunnel.example:443"],
    reach: "network",
  });
});

test("a name in front of a host on loopback gets https, because plain http would reach no server", () => {
  expect(linkAddresses(at("127.0.0.1", "box.ts.net"), here).address).toBe("https://box.ts.net");
});

test("a name that means loopback counts as this machine", () => {
  expect(linkAddresses(at("127.0.0.1", "localhost:3000"), here).reach).toBe("this-machine");
});

test("the list of other names is limited", () => {
  const names = Array.from({ length: 50 }, (_, n) => `box${n}.example`);
  expect(linkAddresses(at("0.0.0.0", ...names), here).others).toHaveLength(8);
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:4860"],
  ["::1", "http://[::1]:4860"],
  ["0.0.0.0", "http://127.0.0.1:4860"],
  ["", "http://127.0.0.1:4860"],
  ["::", "http://[::1]:4860"],
  ["192.168.1.5", "http://192.168.1.5:4860"],
])("listening on %j, programs here go to %s [S17]", (host, url) => {
  expect(ownAddress({ host, port: 4860 })).toBe(url);
});
