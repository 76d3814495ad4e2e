/**
 * The page behind a one-time link: it lets this device in, and shows what every session is doing. The
 * code stands behind the `#`, where no server sees it, and is exchanged by a POST from here.
 */

const STORED = "holdfast.device";
const EVERY_MS = 3000;

const words = {
  waiting: ["▲", "needs you"],
  running: ["●", "working"],
  interrupted_startup: ["╳", "interrupted"],
  interrupted_waiting: ["╳", "interrupted"],
  idle: ["○", "idle"],
  paused: ["‖", "asleep"],
  ended: ["■", "ended"],
};
const order = Object.keys(words);

const main = document.getElementById("main");
const connection = document.getElementById("connection");

/** Text only: nothing that comes from a session is ever markup here. */
function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}

function show(...nodes) {
  main.replaceChildren(...nodes);
}

function say(...lines) {
  show(...lines.map((line) => element("p", line)));
}

async function call(path, init = {}) {
  const token = localStorage.getItem(STORED);
  const headers = { "content-type": "application/json" };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  const response = await fetch(path, { ...init, headers });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.detail), { status: response.status });
  return body;
}

async function signIn() {
  const code = new URLSearchParams(location.hash.slice(1)).get("link");
  if (code === null) return;
  // A link works once: it must not stay in the address, or in the history.
  history.replaceState(null, "", location.pathname);
  const body = JSON.stringify({ code, name: navigator.platform || "browser" });
  const { token } = await call("/api/login", { method: "POST", body });
  localStorage.setItem(STORED, token);
}

function wordOf({ lifecycle, status }) {
  if (lifecycle === "ended") return "ended";
  return lifecycle === "paused" && ["idle", "running"].includes(status) ? "paused" : status;
}

function age(time) {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

function row(session) {
  const word = wordOf(session);
  const [glyph, name] = words[word] ?? ["?", word];
  const item = element("li", "", word);
  item.append(element("b", session.title));
  item.append(element("span", `${glyph} ${name}`, "word"));
  item.append(element("span", ` · ${session.agentName} · ${age(session.lastActiveAt)}`));
  return item;
}

function list(sessions) {
  const needing = sessions.filter((session) => wordOf(session) === "waiting").length;
  document.title = needing > 0 ? `(${needing}) Holdfast` : "Holdfast";
  if (sessions.length === 0) {
    show(
      element("p", "No session yet. In a terminal:"),
      element("code", 'npx holdfast run "Improve this program"'),
    );
    return;
  }
  const rows = element("ol");
  const first = (session) => order.indexOf(wordOf(session));
  rows.append(...sessions.toSorted((a, b) => first(a) - first(b)).map(row));
  show(rows);
}

async function look() {
  try {
    const { sessions } = await call("/api/sessions?limit=100");
    connection.textContent = "";
    list(sessions);
  } catch (error) {
    // Losing the host is no error to show: what was seen last stays.
    if (error.status === undefined) connection.textContent = "host is away, trying again";
    else if (error.status === 401) return stranger();
    else connection.textContent = error.message;
  }
  setTimeout(look, EVERY_MS);
}

function stranger() {
  localStorage.removeItem(STORED);
  say(
    "This device is not signed in.",
    "In a terminal, `npx holdfast link` makes a link that lets it in, once.",
  );
}

try {
  await signIn();
  if (localStorage.getItem(STORED) === null) stranger();
  else await look();
} catch (error) {
  say(error.message, "Make a new link: npx holdfast link");
}
