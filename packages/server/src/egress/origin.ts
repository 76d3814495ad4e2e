/**
 * The upstream that a request names: in origin form by the prefix of its path (the sandbox's base
 * URL), in absolute form by its whole URL.
 */

import { HostError } from "@holdfast/protocol/errors";
import { type Endpoint, parseEndpoint } from "./endpoint.ts";

export interface Origin {
  /** The path in the sandbox's base URL, such as `/anthropic`. */
  readonly prefix: string;
  /** The real base URL, such as `https://api.anthropic.com`. */
  readonly base: string;
}

export interface Upstream {
  readonly endpoint: Endpoint;
  readonly isTls: boolean;
  /** The path and query that the upstream gets. */
  readonly path: string;
}

const URL_FORM = /^(https?):\/\/([^/?#\\@]+)(\/[^?#]*)?(\?[^#]*)?$/i;

/** Parses the target of a request in absolute form; null for a user name, a fragment or an odd host. */
export function parseAbsolute(target: string): Upstream | null {
  const [, scheme = "", authority = "", path = "/", query = ""] = URL_FORM.exec(target) ?? [];
  const isTls = scheme.toLowerCase() === "https";
  const endpoint = parseEndpoint(authority, isTls ? 443 : 80);
  return endpoint === null ? null : { endpoint, isTls, path: path + query };
}

export class Origins {
  readonly #origins: readonly (Upstream & { readonly prefix: string })[];

  constructor(origins: readonly Origin[]) {
    this.#origins = origins.map(({ prefix, base }) => {
      const upstream = parseAbsolute(base);
      if (upstream === null || upstream.path.includes("?") || !/^\/[\w.-]+$/.test(prefix))
        throw new HostError("bad_input", `"${prefix}" cannot lead to "${base}".`);
      return { ...upstream, prefix, path: upstream.path.replace(/\/$/, "") };
    });
  }

  /** Null when no prefix fits, or when the path would leave the base URL. */
  find(target: string): Upstream | null {
    const origin = this.#origins.find(({ prefix }) => /^[/?]|^$/.test(after(target, prefix)));
    if (origin === undefined || climbs(target)) return null;
    const { endpoint, isTls, path, prefix } = origin;
    const rest = after(target, prefix);
    return { endpoint, isTls, path: rest.startsWith("/") ? path + rest : `${path}/${rest}` };
  }
}

/** The target behind the prefix; a word that no path begins with when it has another prefix. */
function after(target: string, prefix: string): string {
  return target.startsWith(prefix) ? target.slice(prefix.length) : "other";
}

/** True if the path has a segment `..`, in any spelling that a server may decode. */
function climbs(target: string): boolean {
  const [path = ""] = target.split("?");
  return path
    .replace(/%2e/gi, ".")
    .split(/[/\\;]|%2f|%5c/i)
    .includes("..");
}
