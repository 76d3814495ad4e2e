/** A route, its words and a credential as a request. */

import { paths, pathWords, type RouteName } from "@holdfast/protocol";

/** A host that restarts may come back elsewhere: then a function says where it is now. */
export type Address = string | (() => string);

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Where requests go, and as whom. */
export interface Access {
  readonly url: Address;
  readonly token: string;
  /** For the host's own token alone: the tenant to act in. */
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

/** No cookies, no caches, and a credential never follows a redirect. */
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
