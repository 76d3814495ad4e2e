import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../../../../", import.meta.url));
const tests = /\.test\.tsx?$|(^|\/)testing\//;

interface Source {
  readonly path: string;
  readonly code: string;
}

/** The shipped sources, without tests, test helpers and comments. */
function sources(...folders: string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
      .map((name) =>
        relative(packages, join(packages, folder, name))
          .split(sep)
          .join("/"),
      )
      .filter((path) => /\.tsx?$/.test(path) && !tests.test(path))
      .map((path) => ({ path, code: withoutComments(readFileSync(join(packages, path), "utf8")) })),
  );
}

const withoutComments = (code: string) =>
  code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

const imports = ({ code }: Source) =>
  [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");

const shipped = readdirSync(packages)
  .map((name) => `${name}/src`)
  .filter((folder) => {
    try {
      return readdirSync(join(packages, folder)).length > 0;
    } catch {
      return false;
    }
  });

const pure = sources("protocol/src", "server/src/session/rules");

describe("the rules and the protocol", () => {
  it("are found by this test at all", () => {
    expect(pure.length).toBeGreaterThan(25);
    expect(pure.flatMap(imports).length).toBeGreaterThan(50);
  });

  it("import no disk, database, clock or network: state goes in, events come out [R002-5] [R002-54]", () => {
    const allowed =
      /^(zod|@holdfast\/protocol(\/schemas)?|node:crypto|\.\/.*|\.\.\/[^.].*|\.\.\/\.\.\/base\/policy\.ts)$/;
    const wrong = pure.flatMap((source) =>
      imports(source)
        .filter((name) => !allowed.test(name))
        .map((name) => `${source.path}: ${name}`),
    );
    expect(wrong).toEqual([]);
    const crypto = pure.filter((source) => imports(source).includes("node:crypto"));
    for (const { path, code } of crypto) {
      const [, names] = /import \{([^}]*)\} from "node:crypto"/.exec(code) ?? [];
      expect(names?.trim(), path).toMatch(/^(createHash|timingSafeEqual)$/);
    }
  });

  it("take time, ids and chance as arguments [R002-1]", () => {
    const ambient =
      /Date\.now\(|new Date\(\)|Math\.random|performance\.|setTimeout|setInterval|process\.|globalThis|console\.|fetch\(/;
    const wrong = pure.filter(({ code }) => ambient.test(code)).map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it("keep no state between two calls: every variable is inside a function [R002-1]", () => {
    const wrong = pure.filter(({ code }) => /^(export )?(let|var) /m.test(code));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe("status", () => {
  const all = sources(...shipped);

  it("is derived in one place: no other file has the words, except to compare with them [R002-45]", () => {
    const words = "interrupted_startup|interrupted_waiting|awaiting_approval";
    const compared = new RegExp(`([!=]==\\s*|case )"(${words})"|"?(${words})"?:`, "g");
    const quoted = new RegExp(`"(${words})"`);
    const wrong = all
      .filter(({ code }) => quoted.test(code.replace(compared, "")))
      .map(({ path }) => path);
    expect(wrong.toSorted()).toEqual([
      // The words of documents 003 and 004; no decision uses them.
      "protocol/src/seed-words.ts",
      "protocol/src/status.ts",
      "protocol/src/vocabulary.ts",
    ]);
  });

  it("is said in one place, by one function that all rules share [R002-45]", () => {
    const saying = all.filter(({ code }) => /kind: "status\.derived"/.test(code));
    expect(saying.map(({ path }) => path)).toEqual(["server/src/session/rules/rule.ts"]);
    const deriving = all.filter(({ code }) => /function (deriveStatus|statusOf)\b/.test(code));
    expect(deriving.map(({ path }) => path)).toEqual(["protocol/src/status.ts"]);
  });

  it("is not inferred by request handlers: they read neither outcomes nor waits, and name no status [R002-49]", () => {
    const handlers = sources("server/src/http");
    expect(handlers.length).toBeGreaterThan(20);
    const inferring = /\bderiveStatus\b|\.(outcome|waits|unreachable|dismissed)\b/;
    const wrong = handlers.filter(({ code }) => inferring.test(code));
    expect(wrong.map(({ path }) => path)).toEqual([]);
    const word = /"(running|idle|waiting|paused|completed|cancelled|interrupted\w*)"/;
    expect(handlers.filter(({ code }) => word.test(code)).map(({ path }) => path)).toEqual([]);
  });

  it("is no part of the state, so it cannot be set [R002-21]", () => {
    const [session] = all.filter(({ path }) => path === "protocol/src/session.ts");
    const [, state] =
      /export interface SessionState \{([\s\S]*?)\n\}/.exec(session?.code ?? "") ?? [];
    expect(state).toContain("readonly run:");
    expect(state).not.toMatch(/\b(status|lifecycle)\b/);
  });
});

describe("what runs sessions", () => {
  it("is one part: an agent is prompted nowhere else [R002-43]", () => {
    const prompting = sources("server/src").filter(({ code }) =>
      /\bagent\.prompt\(|methods\.prompt\b/.test(code),
    );
    expect(prompting.map(({ path }) => path)).toEqual([
      ...["server/src/runtime/holder-link.ts", "server/src/runtime/in-process-link.ts"],
    ]);
    const wiring = sources("server/src").filter(({ code }) => /new (Runner|Runtimes)\(/.test(code));
    expect(wiring.map(({ path }) => path)).toEqual(["server/src/host.ts"]);
    const connecting = sources("server/src").filter(({ code }) =>
      /new AgentConnection\(/.test(code),
    );
    expect(connecting.map(({ path }) => path)).toEqual([
      ...["server/src/runtime/holders.ts", "server/src/runtime/in-process-agents.ts"],
    ]);
  });

  it("neither stores nor decides: events come from rules, bytes go to the journal's port [R002-54]", () => {
    const facade = sources("server/src/session").filter(({ path }) =>
      /^server\/src\/session\/(sessions|owner|runner)\.ts$/.test(path),
    );
    for (const source of facade) {
      const wrong = imports(source).filter((name) => /sqlite|node:fs|\/http\//.test(name));
      expect(wrong, source.path).toEqual([]);
      expect(source.code, source.path).not.toMatch(/kind: "(run|token|status|approval)\./);
    }
  });
});
