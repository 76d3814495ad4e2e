import { expect, test } from "vitest";
import { bindWarning, boundNames, refuseBind } from "./bind.ts";

const code = (host: string, names: string[] = []) => refuseBind({ host, names })?.code ?? "ok";

test.each(["127.0.0.1", "localhost", "::1", "127.1.2.3"])("%s stays on this machine", (host) => {
  expect(code(host)).toBe("ok");
  expect(bindWarning({ host, names: [] })).toBeNull();
});

test.each(["0.0.0.0", "::", "", "192.168.1.5", "box.example", "0", "127.1", "::ffff:127.0.0.1"])(
  "%j is refused without names to be reached by, and gives a warning with them [S17]",
  (host) => {
    expect(refuseBind({ host, names: [] })?.message).toMatch(/--allow-remote/);
    expect(code(host, ["box.example"])).toBe("ok");
    expect(bindWarning({ host, names: ["box.example"] })).toMatch(/not encrypted/);
  },
);

test.each(["*", "http://box.example", "box.example/", "0.0.0.0", "[::]:4860", "a b", "", ".", "-"])(
  "%j is refused as a host name",
  (name) => expect(code("0.0.0.0", ["box.example", name])).toBe("bad_input"),
);

test.each(["box", "box.example:4860", "192.168.1.5", "[fd00::1]:4860", "xn--bcher-kva.example"])(
  "%s is accepted as a host name",
  (name) => expect(code("0.0.0.0", [name])).toBe("ok"),
);

test("the listening address is one of the host's names, unless it is a wildcard or loopback [S17]", () => {
  for (const host of ["127.0.0.1", "localhost", "::1", "0.0.0.0", "::", "", "0"]) {
    expect(boundNames(host)).toEqual([]);
  }
  expect(boundNames("192.0.2.7")).toEqual(["192.0.2.7"]);
  expect(boundNames("fd00::7")).toEqual(["[fd00::7]"]);
});
