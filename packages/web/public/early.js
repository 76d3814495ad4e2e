// Requests the first data while the page's own code is still loading; early.ts takes the replies.
try {
  const { token } = JSON.parse(localStorage.getItem("holdfast.device"));
  const [, session] = /^\/s\/([\w-]+)$/.exec(location.pathname) ?? [];
  const headers = { accept: "application/json", authorization: `Bearer ${token}` };
  const ask = (path) => [
    path,
    fetch(path, { headers, credentials: "omit", cache: "no-store", redirect: "error" }),
  ];
  // Null: the page's own code ran first and makes its own requests.
  const isEarly = globalThis.holdfastEarly !== null;
  // A sign-in link may bring another credential, so the present one requests no data.
  if (isEarly && typeof token === "string" && location.hash === "") {
    const asked = [ask("/api/sessions?limit=50")];
    if (session !== undefined) asked.unshift(ask(`/api/sessions/${session}/transcript?tail=50`));
    for (const [, reply] of asked) reply.catch(() => undefined);
    globalThis.holdfastEarly = new Map(asked);
  }
} catch {
  // No credential can be read here, so no early request is made.
}
