import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PinnedDefinitions } from "./pinned-definitions.ts";
import { writeDefinition } from "./write-definition.ts";

let root: string;
let pinned: PinnedDefinitions;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-pinned-"));
  pinned = new PinnedDefinitions(join(root, "kept"));
});

afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const textsOf = async (hash: string) =>
  (await pinned.read(hash)).files.map(({ path, content }) => [path, content.toString()]);

describe("a pinned definition", () => {
  test("stays the same when its source directory changes [R001-4]", async () => {
    put("source/CLAUDE.md", "be kind");
    put("source/.claude/settings.json", "{}");
    const hash = await pinned.pin(join(root, "source"));
    put("source/CLAUDE.md", "be quick");
    expect(await textsOf(hash)).toEqual([
      [".claude/settings.json", "{}"],
      ["CLAUDE.md", "be kind"],
    ]);
    expect(await pinned.pin(join(root, "source"))).not.toBe(hash);
    rmSync(join(root, "source"), { recursive: true });
    expect(await textsOf(hash)).toHaveLength(2);
  });

  test("is the same by every path to its directory", async () => {
    put("source/mcp.json", '{"mcpServers":{"x":{"command":"x"}}}');
    const { mcpServers } = await pinned.read(await pinned.pin(`${root}/./source/`));
    expect(mcpServers).toHaveLength(1);
  });

  test("has the hash of its content alone, and is kept once", async () => {
    put("a/x", "1");
    put("b/x", "1");
    const [first, second] = [await pinned.pin(join(root, "a")), await pinned.pin(join(root, "b"))];
    expect(second).toBe(first);
    expect(readdirSync(join(root, "kept"))).toEqual([first]);
    chmodSync(join(root, "b/x"), 0o755);
    expect(await pinned.pin(join(root, "b"))).not.toBe(first);
  });

  test("that is damaged or gone is named, and never used", async () => {
    put("a/x", "1");
    const hash = await pinned.pin(join(root, "a"));
    writeFileSync(join(root, "kept", hash), "[]");
    await expect(pinned.read(hash)).rejects.toMatchObject({ code: "agent_missing" });
    rmSync(join(root, "kept", hash));
    await expect(pinned.read(hash)).rejects.toMatchObject({ code: "agent_missing" });
  });

  test("names the servers of its mcp.json, and one that cannot be understood is not pinned", async () => {
    put("a/mcp.json", '{"mcpServers":{"x":{"command":"x"}}}');
    const { mcpServers } = await pinned.read(await pinned.pin(join(root, "a")));
    expect(mcpServers).toEqual([{ name: "x", command: "x", args: [], env: [] }]);
    put("a/mcp.json", "{");
    await expect(pinned.pin(join(root, "a"))).rejects.toMatchObject({ code: "bad_input" });
  });

  test.each([
    ["is not there", () => undefined],
    [
      "leads elsewhere by a link",
      () => {
        mkdirSync(join(root, "source"));
        symlinkSync("/etc/passwd", join(root, "source/x"));
      },
    ],
  ])("of a directory that %s is refused", async (_what, make) => {
    make();
    await expect(pinned.pin(join(root, "source"))).rejects.toMatchObject({ code: "bad_input" });
  });
});

describe("laid over a home", () => {
  test("it replaces its own files and leaves the others", async () => {
    put("source/.claude/CLAUDE.md", "new");
    chmodSync(put("source/bin/hook", "x"), 0o755);
    put("home/.claude/CLAUDE.md", "old");
    put("home/.claude/projects/1.jsonl", "kept");
    const { files } = await pinned.read(await pinned.pin(join(root, "source")));
    await writeDefinition(files, join(root, "home"));
    expect(readFileSync(join(root, "home/.claude/CLAUDE.md"), "utf8")).toBe("new");
    expect(readFileSync(join(root, "home/.claude/projects/1.jsonl"), "utf8")).toBe("kept");
    expect(statSync(join(root, "home/bin/hook")).mode & 0o777).toBe(0o700);
  });

  test("a home that has become a link is created again", async () => {
    put("source/CLAUDE.md", "x");
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(root, "home"));
    const { files } = await pinned.read(await pinned.pin(join(root, "source")));
    await writeDefinition(files, join(root, "home"));
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
    expect(lstatSync(join(root, "home")).isDirectory()).toBe(true);
  });

  test("links that an agent left there are not followed", async () => {
    put("source/.claude/settings.json", "{}");
    put("source/CLAUDE.md", "x");
    mkdirSync(join(root, "outside"));
    put("outside.md", "mine");
    mkdirSync(join(root, "home"));
    symlinkSync(join(root, "outside"), join(root, "home/.claude"));
    symlinkSync(join(root, "outside.md"), join(root, "home/CLAUDE.md"));
    const { files } = await pinned.read(await pinned.pin(join(root, "source")));
    await writeDefinition(files, join(root, "home"));
    expect(readdirSync(join(root, "outside"))).toEqual([]);
    expect(readFileSync(join(root, "outside.md"), "utf8")).toBe("mine");
    expect(lstatSync(join(root, "home/.claude")).isDirectory()).toBe(true);
  });

  test("a path that leads out of the home is not written", async () => {
    const file = { path: "../out", executable: false, content: Buffer.from("x") };
    mkdirSync(join(root, "home"));
    await writeDefinition([file], join(root, "home"));
    expect(existsSync(join(root, "out"))).toBe(false);
  });
});
