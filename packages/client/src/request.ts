/** Builds a request from a route, its parameters and a credential. */

import { paths, pathWords, type RouteName } from "@holdfast/protocol";

/** A function, when the host's address may change with a restart. */
type Address = string | (() => string);

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Access {
  readonly url: Address;
  readonly token: string;
  /** The tenant to act in; only for the host's own token. */
  readonly tenant?: string | undefined;
  readonly fetch?: Fetch | undefined;
}

export type Query = Readonly<Record<string, unknown>>;

export function routeUrl(
  address: Address,
  name: RouteName,
  params: Readonly<Record<string, string>> = {},
  query: Query = {},
): string {
  const base = typeof address === "string" ? address : address();
  const path = paths[name].path.replace(pathWords, (_, key: string, isLong?: string) => {
    const value = params[key];
    if (isLong === undefined) return segment(value, key);
    return (value ?? "")
      .split("/")
      .map((name) => segment(name, key))
      .join("/");
  });
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) search.set(key, String(value));
  }
  return `${base.replace(/\/+$/, "")}${path}${search.size > 0 ? `?${search}` : ""}`;
}

/** `.` and `..` survive encoding and would lead to another route. */
function segment(value: string | undefined, key: string): string {
  if (value === undefined || value === "" || value === "." || value === "..") {
    throw new TypeError(`${key} cannot be ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}

/** Sends without cookies and caches, and never sends a credential along a redirect. */
export function send(access: Access, url: string, init: RequestInit): Promise<Response> {
  const { token, tenant, fetch = globalThis.fetch } = access;
  const headers = {
    ...init.headers,
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    ...(tenant === undefined ? {} : { "holdfast-tenant": tenant }),
  };
  return fetch(url, {
    ...init,
    headers,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
  });
}
