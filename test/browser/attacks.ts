/**
 * Attacks that any web page can try against a host on the same machine. They run inside that page
 * and use only their arguments; each returns what it could read.
 */

export interface Aim {
  /** The host's address, as this page reaches it. */
  readonly origin: string;
  /** Every route, with existing ids and a valid body. */
  readonly routes: readonly { method: string; path: string; body: string | null }[];
  /** Credentials as if they had been stolen: the host must refuse another origin even with them. */
  readonly token: string;
  readonly ticket: string;
  readonly session: string;
}

export interface Read {
  readonly how: string;
  readonly text: string;
}

/** Requests without a preflight, which a browser sends for any page. */
export async function fetches({ origin, routes, token }: Aim): Promise<Read[]> {
  const read: Read[] = [];
  const types = ["text/plain", "application/x-www-form-urlencoded", "application/json"];
  const attempt = async (how: string, path: string, init: RequestInit) => {
    try {
      const response = await fetch(`${origin}${path}`, {
        ...init,
        signal: AbortSignal.timeout(5000),
      });
      const text = await response.text();
      if (text !== "") read.push({ how: `${how} ${path}`, text });
    } catch {
      // The browser refused the request or hid the response, as it should.
    }
  };
  for (const { method, path, body } of routes) {
    const bare = { method, ...(body === null ? {} : { body }) };
    const work = types.map((type) =>
      attempt(`no-cors ${type}`, path, {
        ...bare,
        mode: "no-cors",
        credentials: "include",
        headers: { "content-type": type },
      }),
    );
    work.push(
      attempt("cors", path, { ...bare, mode: "cors" }),
      attempt("cors with the token", path, {
        ...bare,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      }),
    );
    await Promise.all(work);
    if (body !== null) navigator.sendBeacon(`${origin}${path}`, body);
  }
  return read;
}

/** Forms, which need no permission to be sent, with an invisible frame as target. */
export async function forms({ origin, routes }: Aim): Promise<Read[]> {
  const read: Read[] = [];
  const kinds = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
  for (const { path, body } of routes.filter(({ body }) => body !== null)) {
    for (const enctype of kinds) {
      const frame = document.createElement("iframe");
      frame.name = `frame-${Math.random()}`;
      const form = document.createElement("form");
      Object.assign(form, {
        method: "post",
        action: `${origin}${path}`,
        enctype,
        target: frame.name,
      });
      const field = document.createElement("input");
      // As text/plain this is the JSON that the route takes, except for an equals sign in a string.
      field.name = `${body?.slice(0, -1)}${body === "{}" ? "" : ","}"x":"`;
      field.value = '"}';
      form.append(field);
      document.body.append(frame, form);
      const loaded = new Promise((resolve) => {
        frame.addEventListener("load", resolve);
        setTimeout(resolve, 2000);
      });
      form.submit();
      await loaded;
      try {
        const text = frame.contentDocument?.body.innerText ?? "";
        if (text !== "") read.push({ how: `form ${enctype} ${path}`, text });
      } catch {
        // The frame belongs to another origin.
      }
      frame.remove();
      form.remove();
    }
  }
  return read;
}

/** Requests that elements of a page make by themselves. */
export async function elements({ origin, routes }: Aim): Promise<Read[]> {
  const read: Read[] = [];
  const gets = [
    "/",
    "/settings",
    "/health",
    ...routes.filter(({ method }) => method === "GET").map(({ path }) => path),
  ];
  for (const path of gets) {
    for (const tag of ["img", "script", "iframe", "link", "object", "video"]) {
      const element = document.createElement(tag);
      const url = `${origin}${path}`;
      if (tag === "link") Object.assign(element, { rel: "stylesheet", href: url });
      else if (tag === "object") Object.assign(element, { data: url });
      else Object.assign(element, { src: url });
      const settled = new Promise<string>((resolve) => {
        element.addEventListener("load", () => resolve("load"));
        element.addEventListener("error", () => resolve("error"));
        setTimeout(() => resolve("nothing"), 1500);
      });
      document.body.append(element);
      const outcome = await settled;
      try {
        const frame = element as HTMLIFrameElement;
        const text = tag === "iframe" ? (frame.contentDocument?.body.innerText ?? "") : "";
        if (text !== "") read.push({ how: `iframe ${path}`, text });
      } catch {
        // The frame belongs to another origin.
      }
      if (tag === "img" && outcome === "load") read.push({ how: `img ${path}`, text: "its size" });
      if (tag === "script" && outcome === "load")
        read.push({ how: `script ${path}`, text: "it ran" });
      element.remove();
    }
  }
  return read;
}

/** Sockets and streams, which have no preflight. */
export async function streams({ origin, token, ticket, session }: Aim): Promise<Read[]> {
  const read: Read[] = [];
  const socket = new WebSocket(`${origin.replace("http", "ws")}/api/ws`);
  socket.onopen = () => {
    read.push({ how: "WebSocket", text: "it opened" });
    socket.send(JSON.stringify({ type: "auth", token }));
    socket.send(JSON.stringify({ type: "subscribe", session, after: 0 }));
  };
  socket.onmessage = ({ data }) => read.push({ how: "WebSocket", text: String(data) });
  const stream = `${origin}/api/sessions/${session}/stream?after=0&ticket=${ticket}`;
  const source = new EventSource(stream);
  source.onmessage = ({ data }) => read.push({ how: "EventSource", text: String(data) });
  await Promise.all([
    new Promise((resolve) => {
      socket.addEventListener("close", resolve);
      setTimeout(resolve, 3000);
    }),
    new Promise((resolve) => {
      source.addEventListener("error", resolve);
      setTimeout(resolve, 3000);
    }),
  ]);
  socket.close();
  source.close();
  return read;
}
