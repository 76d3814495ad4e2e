/**
 * Credentials that the egress puts into requests, so that the sandbox never has them. That works
 * where the egress writes the request: in origin and absolute form. A CONNECT tunnel is encrypted
 * between its ends, so none can be put in there: such a tool must use a base URL of the egress.
 */

import { HostError } from "@holdfast/protocol/errors";
import { isLoopbackAddress } from "./addresses.ts";
import { type Endpoint, parseEndpoint } from "./endpoint.ts";
import { isReservedHeader } from "./request-head.ts";

export interface UpstreamCredential {
  /** `name` or `name:port`, for TLS; `http://name:port` where the far end has none. */
  readonly host: string;
  /** Replaces the header of this name in each request to that host. */
  readonly header: string;
  /** The whole value, such as `Bearer …`. */
  readonly value: string;
}

interface KnownCredential extends Endpoint {
  readonly header: string;
  readonly value: string;
  readonly isPlain: boolean;
}

export class UpstreamCredentials {
  readonly #known: readonly KnownCredential[];

  /** Throws `bad_input`, never with the value. */
  constructor(credentials: readonly UpstreamCredential[]) {
    this.#known = credentials.map(({ host, header, value }) => {
      const isPlain = host.startsWith("http://");
      const endpoint = parseEndpoint(isPlain ? host.slice(7) : host, isPlain ? 80 : 443);
      if (endpoint === null)
        throw mistake(host, "its host is not a name, name:port or http://name");
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header) || isReservedHeader(header))
        throw mistake(host, `${JSON.stringify(header)} cannot be its header`);
      if (!/^[\t\x20-\x7e\x80-\xff]+$/.test(value))
        throw mistake(host, "its value is empty or has characters that a header cannot carry");
      return { ...endpoint, header, value, isPlain };
    });
  }

  /** Without TLS a credential goes only to loopback, or where its own host says `http://`. */
  for({ host, port }: Endpoint, isTls: boolean): readonly KnownCredential[] {
    return this.#known.filter(
      (known) =>
        known.host === host &&
        known.port === port &&
        (isTls || known.isPlain || (known.isAddress && isLoopbackAddress(host))),
    );
  }
}

function mistake(host: string, why: string): HostError {
  return new HostError("bad_input", `The credential for "${host}" cannot be used: ${why}.`);
}
