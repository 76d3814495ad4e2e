/** The kinds of IP addresses. */

import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * `special` addresses (loopback, private, link-local with the clouds' metadata, carrier NAT,
 * documentation, benchmarks) can be reached only when a policy names them. `unusable` ones stand for
 * another address or for many (unspecified, multicast, IPv4 inside IPv6), and never can.
 */
export type AddressKind = "public" | "special" | "unusable";

// IPv4 and IPv6 have lists of their own: a BlockList takes an IPv4 address for the IPv6 address
// ::ffff:… that contains it.
const unusableIpv4 = blockList(["0.0.0.0/8", "224.0.0.0/3"]);
const specialIpv4 = blockList([
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure's metadata and DNS
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
]);

const unusableIpv6 = blockList([
  "::/128",
  "::ffff:0:0/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/32",
  "2001::/32",
  "2002::/16",
  "ff00::/8",
]);
const globalIpv6 = blockList(["2000::/3"]);
const specialIpv6 = blockList(["2001::/23", "2001:db8::/32", "3fff::/20"]);
const loopback = blockList(["127.0.0.0/8", "::1/128"]);

export function addressKind(address: string): AddressKind {
  if (isIPv4(address)) {
    if (unusableIpv4.check(address)) return "unusable";
    return specialIpv4.check(address) ? "special" : "public";
  }
  if (!isIPv6(address) || address.includes("%")) return "unusable";
  if (unusableIpv6.check(address, "ipv6")) return "unusable";
  const isPublic = globalIpv6.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
  return isPublic ? "public" : "special";
}

export function isLoopbackAddress(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

function blockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = "", bits] = subnet.split("/");
    list.addSubnet(address, Number(bits), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return list;
}
