/** Faults in access control: credentials, tenants, origins, and foreign text. */

import type { Mutant } from "../mutant.ts";

export const atTheDoors: readonly Mutant[] = [
  {
    name: "no-credential",
    what: "a route answers without a credential",
    breaks: ["P35"],
    patches: [
      {
        file: "packages/server/src/http/app.ts",
        from: "if (caller === null) throw unauthorized();",
        to: "if (caller === null) return;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/http/app.test.ts",
      test: "every route except the public ones requires a credential",
    },
  },
  {
    name: "another-tenant",
    what: "another tenant's session is shown",
    breaks: ["P37", "S1"],
    patches: [
      {
        file: "packages/server/src/http/request/resolve-ids.ts",
        from: "const at = await look(stored, id, tenant);",
        to: "const owner = await stored.sessions.state(id as never).catch(() => ({ tenant }));\n  const at = await look(stored, id, owner.tenant);",
      },
    ],
    noticedBy: {
      file: "packages/server/src/http/tenancy.test.ts",
      test: "is not found on any route",
    },
  },
  {
    name: "any-name",
    what: "the host answers to any name",
    breaks: ["P36"],
    patches: [
      {
        file: "packages/server/src/access/guard/guard.ts",
        from: "if (ours.has(host) && URL.parse(url)",
        to: 'if (host !== "" || URL.parse(url)',
      },
    ],
    noticedBy: {
      file: "packages/server/src/access/guard/guard.test.ts",
      test: "which Host is ours",
    },
  },
  {
    name: "any-origin",
    what: "pages of other origins may do everything",
    breaks: ["P36"],
    patches: [
      {
        file: "packages/server/src/access/guard/guard.ts",
        from: "const own = origin === null ||",
        to: "const own = origin !== undefined ||",
      },
    ],
    noticedBy: {
      file: "packages/server/src/access/guard/guard.test.ts",
      test: "which Origin is ours",
    },
  },
  {
    name: "forms-accepted",
    what: "a form of a foreign page is taken for JSON",
    breaks: ["P36"],
    patches: [
      {
        file: "packages/server/src/access/guard/guard.ts",
        from: 'if (/^application\\/json\\s*(;|$)/i.test(type) && encoding === "identity") return null;',
        to: 'if (encoding === "identity" || type === "") return null;',
      },
    ],
    noticedBy: { file: "packages/server/src/access/guard/guard.test.ts", test: "may not be" },
  },
  {
    name: "escapes-obeyed",
    what: "escape sequences of agents reach the terminal",
    breaks: ["P41"],
    patches: [
      {
        file: "packages/protocol/src/words/visible.ts",
        from: "return text.replace(hidden, shown);",
        to: "return text.replace(/\\0/g, shown);",
      },
    ],
    noticedBy: {
      file: "packages/cli/src/foreign-text.test.ts",
      test: "shows each hidden character as a visible one",
    },
  },
  {
    name: "links-that-run",
    what: "a link of an agent runs in the page",
    breaks: ["P41", "S15"],
    patches: [
      {
        file: "packages/web/src/text/links.ts",
        from: "return allowed.has(url.protocol) ? url.href : null;",
        to: "return url.href;",
      },
    ],
    noticedBy: {
      file: "packages/web/src/text/links.test.ts",
      test: "a link of an agent leads to the web or to mail",
    },
  },
  {
    name: "data-directory-opened",
    what: "an agent is started in the host's data directory",
    breaks: ["P39"],
    patches: [
      {
        file: "packages/server/src/workspace/workspaces.ts",
        from: "if (!isWithin(real, this.#data) && !isWithin(this.#data, real)) return null;",
        to: 'if (real !== "") return null;',
      },
    ],
    noticedBy: {
      file: "packages/server/src/workspace/workspaces.test.ts",
      test: "is refused when it is the data directory",
      failure: "resolved",
    },
  },
  {
    name: "room-without-end",
    what: "long outputs of a session may fill the disk",
    breaks: ["P34"],
    patches: [
      {
        file: "packages/server/src/journal/blob-room.ts",
        from: "if (taken.bytes + bytes > this.#most) return false;",
        to: "",
      },
    ],
    noticedBy: {
      file: "packages/server/src/journal/blobs.test.ts",
      test: "takes blobs up to its limit",
    },
  },
  {
    name: "revoked-parent",
    what: "what a revoked credential let in stays in",
    breaks: ["S2"],
    patches: [
      {
        file: "packages/server/src/access/credentials/access.ts",
        from: "const gone = descentOf(id, all);",
        to: "const gone = new Set([id]);",
      },
    ],
    noticedBy: {
      file: "packages/server/src/access/credentials/access.test.ts",
      test: "ends every credential made by the revoked one",
    },
  },
  {
    name: "strangers-large-body",
    what: "a body without a credential may be as large as one with it",
    breaks: ["S3", "P34"],
    patches: [
      {
        file: "packages/server/src/access/guard/middleware.ts",
        from: "const TOKEN_BODY = 64 * 1024;",
        to: "const TOKEN_BODY = 8 * 1024 * 1024;",
      },
    ],
    noticedBy: {
      file: "packages/server/src/access/guard/middleware.test.ts",
      test: "from a caller without a credential has its route's own limit",
    },
  },
  {
    name: "foreign-in-place",
    what: "any tenant works in directories of the host's user",
    breaks: ["P37"],
    patches: [
      {
        file: "packages/server/src/workspace/workspaces.ts",
        from: "if (!this.#options.mayWorkInPlace(tenant)) {",
        to: "if (!this.#options.mayWorkInPlace(tenant) && false) {",
      },
    ],
    noticedBy: {
      file: "packages/server/src/workspace/workspaces.test.ts",
      test: "sessions of a tenant that may not work in place",
    },
  },
];
