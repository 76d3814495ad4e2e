// Asks for what will be shown while the page's own code is still on its way; early.ts has the answers.
try {
  const { token } = JSON.parse(localStorage.getItem("holdfast.device"));
  const [, session] = /^\/s\/([\w-]+)$/.exec(location.pathname) ?? [];
  const headers = { accept: "application/json", authorization: `Bearer ${token}` };
  const ask = (path) => [
    path,
    fetch(path, { headers, credentials: "omit", cache: "no-store", redirect: "error" }),
  ];
  // Null: the page's own code was quicker, and has asked for itself.
  const isEarly = globalThis.holdfastEarly !== null;
  // A link is for a new credential: what this one may see is nobody's business then.
  if (isEarly && typeof token === "string" && location.hash === "") {
    const asked = [ask("/api/sessions?limit=50")];
    if (session !== undefined) asked.unshift(ask(`/api/sessions/${session}/transcript?tail=50`));
    for (const [, reply] of asked) reply.catch(() => undefined);
    globalThis.holdfastEarly = new Map(asked);
  }
} catch {
  // Nobody is signed in here: there is nothing to ask for.
}
