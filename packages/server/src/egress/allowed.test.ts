import { HostError } from "@holdfast/protocol/errors";
import { describe, expect, test } from "vitest";
import { AllowedHosts, type NetworkPolicy, parseHostPattern } from "./allowed.ts";
import { parseEndpoint } from "./endpoint.ts";

function verdict(policy: Partial<NetworkPolicy>, text: string) {
  const endpoint = parseEndpoint(text, null);
  if (endpoint === null) throw new Error(`${text} is not an endpoint`);
  const whole = { mode: "allow", hosts: [], forbidden: [], ...policy } as const;
  return new AllowedHosts(whole, () => ["192.168.7.7"]).refuses(endpoint);
}

describe("a list of hosts", () => {
  const hosts = ["example.com", "*.wide.example", "odd.example:8443", "10.1.2.3", "127.0.0.1:5432"];

  test.each([
    "example.com:443",
    "example.com:80",
    "a.wide.example:443",
    "a.b.wide.example:443",
    "odd.example:8443",
    "10.1.2.3:443",
    "127.0.0.1:5432",
    "localhost:5432",
  ])("allows %s", (text) => expect(verdict({ hosts }, text)).toBeNull());

  test.each([
    ["evil.example:443", "not_allowed"],
    ["example.com.evil.example:443", "not_allowed"],
    ["evilexample.com:443", "not_allowed"],
    ["evilwide.example:443", "not_allowed"],
    ["wide.example:443", "not_allowed"],
    ["sub.example.com:443", "not_allowed"],
    ["example.com:22", "not_allowed"],
    ["odd.example:443", "not_allowed"],
    ["93.184.216.34:443", "not_allowed"],
    ["10.1.2.4:443", "private_address"],
    ["10.1.2.3:22", "private_address"],
    ["127.0.0.1:5433", "private_address"],
    ["127.0.0.2:5432", "private_address"],
    ["[::1]:5432", "private_address"],
    ["[::ffff:127.0.0.1]:5432", "private_address"],
    ["169.254.169.254:80", "private_address"],
    ["0.0.0.0:5432", "private_address"],
  ])("refuses %s as %s", (text, reason) => expect(verdict({ hosts }, text)).toBe(reason));
});

describe("a policy", () => {
  test("none reaches no host", () => {
    expect(verdict({ mode: "none" }, "example.com:443")).toBe("no_network");
  });

  test("open reaches every name at every port, and addresses only when they are named", () => {
    const open = { mode: "open", hosts: ["93.184.216.34"] } as const;
    expect(verdict(open, "anything.example:8443")).toBeNull();
    expect(verdict(open, "93.184.216.34:443")).toBeNull();
    expect(verdict(open, "93.184.216.35:443")).toBe("not_allowed");
    expect(verdict(open, "127.0.0.1:80")).toBe("private_address");
  });

  test("never reaches the control API, also when it is named", () => {
    const policy = {
      mode: "open",
      hosts: ["127.0.0.1:4860", "192.168.7.7:4860", "[::1]:4860", "box.example"],
      forbidden: ["127.0.0.1:4860", "box.example"],
    } as const;
    expect(verdict(policy, "127.0.0.1:4860")).toBe("control_api");
    expect(verdict(policy, "localhost:4860")).toBe("control_api");
    expect(verdict(policy, "[::1]:4860")).toBe("control_api");
    expect(verdict(policy, "192.168.7.7:4860")).toBe("control_api");
    expect(verdict(policy, "box.example:443")).toBe("control_api");
  });

  test("of an unknown word is refused with the known ones", () => {
    const mode = "host" as NetworkPolicy["mode"];
    expect(() => verdict({ mode }, "example.com:443")).toThrow("Known ones: none, allow, open.");
  });
});

test.each([
  "*",
  "*.com",
  "a.*.example",
  "*.10.1.2.3",
  "https://example.com",
  "example.com/path",
  "example.com:99999",
  "10.0.0.0/8",
  "0x7f000001",
  "0.0.0.0",
  "224.0.0.1",
  "[::ffff:127.0.0.1]:80",
  "127.0.0.1",
  "localhost",
  "",
])("the pattern %j is refused with the known forms", (text) => {
  const refused = parseHostPattern(text);
  expect(refused).toBeInstanceOf(HostError);
  expect((refused as HostError).message).toContain("Known forms: example.com, *.example.com");
});
