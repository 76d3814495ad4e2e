import { expect, test } from "vitest";
import { addressKind } from "./addresses.ts";
import { parseEndpoint, parseHost } from "./endpoint.ts";

test.each(["1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001:80b::200e"])(
  "%s is public",
  (address) => expect(addressKind(address)).toBe("public"),
);

test.each([
  "127.0.0.1",
  "127.255.255.254",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "168.63.129.16",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.0.192",
  "198.18.0.1",
  "203.0.113.7",
  "::1",
  "fe80::1",
  "fec0::1",
  "fd00:ec2::254",
  "2001:db8::1",
  "2001:10::1",
  "::7f00:1",
])("%s is reachable only when it is named", (address) =>
  expect(addressKind(address)).toBe("special"),
);

test.each([
  "0.0.0.0",
  "0.1.2.3",
  "224.0.0.1",
  "239.255.255.250",
  "255.255.255.255",
  "240.0.0.1",
  "::",
  "ff02::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:0:127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::a00:1",
  "2002:7f00:1::",
  "2001:0:53aa:64c::1",
  "fe80::1%eth0",
  "example.com",
])("%s stands for another address or for many, and is never reachable", (address) =>
  expect(addressKind(address)).toBe("unusable"),
);

test.each([
  ["example.com:443", { host: "example.com", port: 443, isAddress: false }],
  ["EXAMPLE.com.:443", { host: "example.com", port: 443, isAddress: false }],
  ["10.0.0.1:80", { host: "10.0.0.1", port: 80, isAddress: true }],
  ["[0:0:0:0:0:0:0:1]:80", { host: "::1", port: 80, isAddress: true }],
  ["[::FFFF:127.0.0.1]:80", { host: "::ffff:7f00:1", port: 80, isAddress: true }],
  ["localhost:5432", { host: "127.0.0.1", port: 5432, isAddress: true }],
])("%s is parsed into one spelling", (text, endpoint) =>
  expect(parseEndpoint(text, null)).toEqual(endpoint),
);

test.each([
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "127.0.0.01",
  "1.2.3.4.5",
  "foo.0x7f",
  "example.com.0",
])("the spelling %s of an IPv4 address is refused", (text) => expect(parseHost(text)).toBeNull());

test.each([
  "",
  ".",
  "a..b",
  "-a.example",
  "a b",
  "user@example.com",
  "example.com/x",
  "example.com#",
  "exämple.com",
  "ex%61mple.com",
  "127。0。0。1",
  "::1",
  "[::1",
  "[fe80::1%25lo]",
  `${"a".repeat(64)}.example`,
])("%j is not a host", (text) => expect(parseHost(text)).toBeNull());

test.each(["example.com", "example.com:0", "example.com:65536", "example.com:080", "a:1:2", ":80"])(
  "%s is not a host with a port",
  (text) => expect(parseEndpoint(text, null)).toBeNull(),
);
