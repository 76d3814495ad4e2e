/** Faults in the egress, the only way from a sandbox to the network. */

import { type Mutant, mutantsIn } from "../mutant.ts";

const mutant = mutantsIn("packages/server/src/egress", ["P39"]);

export const inTheEgress: readonly Mutant[] = [
  mutant(
    "egress-any-address",
    "the address that a name resolves to is not checked",
    ["upstreams", "refusals[index] === null", "refusals[index] !== undefined"],
    ["exchange", "resolves to a loopback address"],
  ),
  mutant(
    "egress-resolved-again",
    "the connection is made to all addresses and not to the checked ones",
    ["upstreams", "connect(checked, port)", "connect(found, port)"],
    ["exchange", "only the public ones are connected to"],
  ),
  mutant(
    "egress-any-server-name",
    "a tunnel may ask for another server name than its CONNECT request",
    ["tunnel", 'verdict.serverName === host ? null : "wrong_name"', "null"],
    ["tunnel", "with another server name is closed"],
  ),
  mutant(
    "egress-before-the-name",
    "bytes go on before the server name is known",
    [
      "tunnel",
      "    bytes = Buffer.concat([bytes, chunk]);",
      '    bytes = Buffer.concat([bytes, chunk]);\n    if (bytes.length > 3) return finish({ serverName: "good.example" });',
    ],
    ["tunnel", "with another server name is closed"],
  ),
  mutant(
    "egress-plain-in-tunnel",
    "a plain request inside a tunnel may name another host",
    ["exchange", " || !hostIs(message, tunnelTo)", ""],
    ["tunnel", "with plain text is read as an HTTP request"],
  ),
  mutant(
    "egress-encrypted-name",
    "a hello with an encrypted part is taken by its visible name",
    [
      "client-hello",
      'if (type === ENCRYPTED_CLIENT_HELLO) return "hidden_name";',
      "void ENCRYPTED_CLIENT_HELLO;",
    ],
    ["client-hello", "with an encrypted part, hides its name"],
  ),
  mutant(
    "egress-second-name",
    "the first of two server names is taken",
    ["client-hello", 'names.length === 1 ? { serverName } : "bad_tls"', "{ serverName }"],
    ["client-hello", "with two names is refused"],
  ),
  mutant(
    "egress-control-api",
    "the control API is reachable when the policy names it",
    [
      "allowed",
      'if (this.#isControlApi(endpoint)) return "control_api";',
      "void this.#isControlApi;",
    ],
    ["allowed", "never reaches the control API"],
  ),
  mutant(
    "egress-name-suffix",
    "*.example.com allows evilexample.com",
    ["allowed", "!isAddress && host.endsWith(`.", "!isAddress && host.endsWith(`"],
    ["allowed", "refuses evilwide.example"],
  ),
  mutant(
    "egress-any-port",
    "a host without a port is allowed at every port",
    [
      "allowed",
      "pattern.port === null ? port !== 80 && port !== 443 :",
      "pattern.port === null ? false :",
    ],
    ["allowed", "refuses example.com:22"],
  ),
  mutant(
    "egress-mapped-address",
    "an IPv4 address inside an IPv6 address counts as one that can be named",
    ["addresses", '  "::ffff:0:0/96",\n', ""],
    ["addresses", "::ffff:127.0.0.1 stands for another address"],
  ),
  mutant(
    "egress-odd-address",
    "a number is taken for a name, and resolves to loopback",
    ["endpoint", "NAME.test(host) && !NUMBER.test(host)", "NAME.test(host) && NUMBER !== null"],
    ["addresses", "the spelling 2130706433"],
  ),
  mutant(
    "egress-asks-for-refused-names",
    "a request in absolute form is resolved before the policy is asked",
    [
      "exchange",
      "const reason = context.allowed().refuses(upstream.endpoint);",
      "const reason = null as RefusalReason | null;",
    ],
    ["exchange", "a request to an allowed name reaches it"],
  ),
  mutant(
    "egress-tunnel-to-any-name",
    "a tunnel is opened to every name",
    [
      "tunnel",
      "const reason = context.allowed().refuses(endpoint);",
      "const reason = null as RefusalReason | null;",
    ],
    ["tunnel", "to a name that is not allowed"],
  ),
  mutant(
    "egress-credential-elsewhere",
    "a credential is sent to every host",
    ["upstream-credentials", "known.host === host &&", "known.host !== null &&"],
    ["exchange", "a credential is sent to no other host"],
  ),
  mutant(
    "egress-credential-in-plain-text",
    "a credential is sent without TLS",
    [
      "upstream-credentials",
      "(isTls || known.isPlain ||",
      "(isTls || !known.isPlain || known.isPlain ||",
    ],
    ["exchange", "is not sent in plain text"],
  ),
  mutant(
    "egress-credential-taken-away",
    "a header of the sandbox stays beside the credential",
    ["exchange", '"content-length", ...replaced]', '"content-length"]'],
    ["exchange", "reaches the real host with the real key"],
  ),
  mutant(
    "egress-hop-by-hop",
    "headers that Connection names go on",
    ["request-head", "dropped.add(token.trim().toLowerCase())", "dropped.add(token)"],
    ["exchange", "a Connection header cannot take"],
  ),
  mutant(
    "egress-two-hosts",
    "a second Host header is ignored",
    ["request-head", 'const ONCE = ["host", ', "const ONCE = ["],
    ["exchange", "with two Hosts is refused"],
  ),
  mutant(
    "egress-another-host",
    "the Host header may name another host than the URL",
    [
      "request-head",
      "host !== null && host.host === target.host && host.port === target.port",
      "host !== null",
    ],
    ["exchange", "with another Host is refused"],
  ),
  mutant(
    "egress-other-encoding",
    "a request with another encoding than chunked goes on",
    ["request-head", 'encoding.toLowerCase() !== "chunked"', 'encoding === ""'],
    ["exchange", "with another encoding is refused"],
  ),
  mutant(
    "egress-unframed-body",
    "the body of a GET request is forwarded without framing",
    [
      "exchange",
      '!== undefined) return ["Transfer-Encoding", "chunked"];',
      "!== undefined) return [];",
    ],
    ["exchange", "the body of a GET request is framed anew"],
  ),
  mutant(
    "egress-climbing-path",
    "a path with .. leaves the base URL",
    ["origin", "origin === undefined || climbs(target)", 'origin === undefined || climbs("")'],
    ["exchange", "the path /model/../secret"],
  ),
  mutant(
    "egress-trace",
    "TRACE shows the credential to the sandbox",
    ["exchange", 'if (method === "TRACE")', 'if (method === "TRACK")'],
    ["exchange", "TRACE, which would show"],
  ),
  mutant(
    "egress-pipelining",
    "a connection carries any number of requests at once",
    ["egress", "    connection.isRead = true;\n", ""],
    ["exchange", "a second request on a connection closes it"],
  ),
  mutant(
    "egress-unlimited",
    "connections are not limited",
    ["egress", "if (open.size >= limits.connections)", "if (open.size >= Infinity)"],
    ["egress", "connections above the limit are refused"],
  ),
  mutant(
    "egress-unlimited-upstream",
    "connections that are being opened are not limited",
    ["upstreams", "this.#sockets.size + this.#opening >=", "this.#sockets.size >="],
    ["egress", "count towards the limit after their client left"],
  ),
  mutant(
    "egress-unused-stay",
    "unused connections take the room of others",
    ["upstreams", "if (isFull()) this.closeUnused();", "isFull();"],
    ["egress", "unused connections make room for others"],
  ),
  mutant(
    "egress-every-refusal",
    "every repeated refusal is reported",
    ["refusals", "now - kind.reported < REPORT_EVERY", "now - kind.reported < 0"],
    ["exchange", "repeated refusals are counted"],
  ),
  mutant(
    "egress-late-allow",
    "an allowed host is not added",
    ["egress", "hosts: [...policy.hosts, host]", "hosts: [...policy.hosts]"],
    ["exchange", "a host that is allowed is reachable at once"],
  ),
  mutant(
    "egress-policy-for-new-ones",
    "open connections outlive the policy that allowed them",
    ["egress", "endpoint !== null && allowed.refuses(endpoint) !== null", "endpoint === undefined"],
    ["exchange", "a stricter policy ends what it refuses"],
  ),
  mutant(
    "egress-connects-late",
    "a name that resolves after the limit is still connected to",
    ["upstreams", "    signal.throwIfAborted();\n", ""],
    ["egress", "does not resolve in time"],
  ),
  mutant(
    "egress-cut-upload",
    "bytes that a client sent before it closed are lost",
    ["tunnel", "else other.destroySoon();", "else other.destroy();"],
    ["tunnel", "delivers what a side sent"],
  ),
  mutant(
    "mask-per-piece",
    "a value that is split between two pieces is not masked",
    ["mask", "this.#held = text.slice(end);", "this.#held = text.slice(text.length);"],
    ["mask", "that is split at any place is masked"],
  ),
  mutant(
    "mask-shorter-first",
    "a value that is the start of another leaves the rest readable",
    ["mask", "this.#masked = Math.max(0, done - end);", "this.#masked = 0;"],
    ["mask", "values that overlap are masked as one"],
  ),
];
