import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
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
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { takesUrl } from "../../packages/cli/src/hint.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const folder = mkdtempSync(join(tmpdir(), "holdfast-launcher-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The machine's own PATH, without the folders that npm and vitest add. */
const path = (process.env.PATH ?? "")
  .split(":")
  .filter((one) => !one.includes("node_modules"))
  .join(":");
const someNode = execFileSync("sh", ["-c", "command -v node"], { env: { PATH: path } })
  .toString()
  .trim();

interface Person {
  readonly home: string;
  readonly launcher: string;
  /** `npm run setup`, with its arguments after `--`. */
  setup(clone?: string, ...args: string[]): Said;
  sh(line: string, env?: Record<string, string>): Said;
}

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A user with an empty home directory. */
function person(): Person {
  const home = mkdtempSync(join(folder, "home "));
  const local = join(home, ".local", "bin");
  const env = { HOME: home, SHELL: "/bin/bash", PATH: `${local}:${path}` };
  const said = (program: string, args: string[], more: Record<string, string> = {}): Said => {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: home,
      env: { ...env, ...more },
      encoding: "utf8",
      timeout: 30_000,
    });
    return { code: status, out: stdout, err: stderr };
  };
  return {
    home,
    launcher: join(local, "holdfast"),
    setup: (clone = root, ...args) =>
      said(someNode, [join(clone, "scripts/launcher.mjs"), ...args]),
    sh: (line, more) => said("/bin/sh", ["-c", line], more),
  };
}

/** A clone without its installed programs. */
function emptyClone(name: string): string {
  const clone = join(folder, name);
  mkdirSync(join(clone, "scripts"), { recursive: true });
  cpSync(join(root, "scripts/launcher.mjs"), join(clone, "scripts/launcher.mjs"));
  writeFileSync(join(clone, "scripts/setup.mjs"), "");
  return clone;
}

describe("npm run setup", () => {
  test("makes a holdfast that runs from any directory with the clone's own Node", () => {
    const { setup, sh, launcher } = person();
    expect(setup()).toMatchObject({ code: 0, err: expect.not.stringContaining("PATH") });
    expect(statSync(launcher).mode & 0o777).toBe(0o755);
    const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
    expect(sh("cd / && holdfast --version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
    // Also without any node on the PATH.
    const bare = { PATH: dirname(launcher) };
    expect(sh("holdfast --version", bare)).toMatchObject({ out: `${version}\n` });
    const missing = sh("holdfast ls");
    expect(missing.err).toMatch(/No host runs on .*\.holdfast\. Start one with: holdfast serve\n/);
    // A second setup changes no files, and the removal is complete.
    expect(setup().code).toBe(0);
    expect(readdirSync(dirname(launcher))).toEqual(["holdfast"]);
    expect(setup(root, "--remove").code).toBe(0);
    expect(existsSync(launcher)).toBe(false);
    expect(setup(root, "--remove").code).toBe(0);
  });

  test("says the line that adds it to the PATH where it is missing there", () => {
    const { home } = person();
    const { stderr } = spawnSync(someNode, [join(root, "scripts/launcher.mjs")], {
      env: { HOME: home, SHELL: "/bin/zsh", PATH: path },
      encoding: "utf8",
    });
    expect(stderr).toContain('export PATH="$HOME/.local/bin:$PATH"');
    expect(stderr).toContain("~/.zshrc");
  });

  test("leaves a file, a link or a folder that is not its own as it was", () => {
    const made: ((path: string) => void)[] = [
      (at) => writeFileSync(at, "#!/bin/sh\necho mine\n"),
      (at) => symlinkSync("/bin/true", at),
      (at) => symlinkSync("/nowhere", at),
      (at) => mkdirSync(at),
    ];
    for (const make of made) {
      const { setup, launcher, sh } = person();
      mkdirSync(dirname(launcher), { recursive: true });
      make(launcher);
      const before = sh(`ls -ln '${launcher}'`).out;
      for (const args of [[], ["--remove"]]) {
        const { code, err } = setup(root, ...args);
        expect([code, err]).toEqual([1, expect.stringContaining("stays as it is")]);
      }
      expect(sh(`ls -ln '${launcher}'`).out).toBe(before);
    }
  });

  test("says what to do when the clone is gone, or is not installed", () => {
    const { setup, sh } = person();
    const clone = emptyClone("it's a clone");
    expect(setup(clone).code).toBe(0);
    expect(sh("holdfast ls")).toEqual({
      code: 1,
      out: "",
      err: `holdfast: there is no clone at ${clone} any more. Run "npm run setup" where it is now.\n`,
    });
    mkdirSync(join(clone, "packages/cli/bin"), { recursive: true });
    writeFileSync(join(clone, "packages/cli/bin/holdfast.mjs"), "");
    expect(sh("holdfast ls").err).toContain(
      `${clone} is not installed. Run "npm run setup" there.`,
    );
  });

  test("moves the command to the clone it runs in, and removes none of another clone", () => {
    const { setup, launcher } = person();
    const other = emptyClone("other");
    expect(setup(other).code).toBe(0);
    expect(setup(root, "--remove").err).toContain(`"npm run setup -- --remove" in ${other}`);
    expect(existsSync(launcher)).toBe(true);
    expect(setup(root).err).toContain(`started ${other} until now`);
    rmSync(other, { recursive: true });
  });

  test("says so where it cannot write", () => {
    const { setup, home } = person();
    writeFileSync(join(home, ".local"), "a file");
    const { code, err } = setup();
    expect([code, err]).toEqual([1, expect.stringContaining("node_modules/.bin/holdfast instead")]);
  });
});

test("before setup, the clone's own program runs on the machine's Node and is what hints name", () => {
  const { sh } = person();
  const program = join(root, "node_modules/.bin/holdfast");
  expect(sh(`'${program}' help session continue`).out).toMatch(
    /^holdfast session continue SESSION\n/,
  );
  expect(sh(`'${program}' ls`).err).toContain(`Start one with: ${program} serve\n`);
  expect(sh(`'${program}' frobnicate`).code).toBe(2);
});

test("holdfast alone prints help, and starts no host", () => {
  const { sh, home } = person();
  const program = join(root, "node_modules/.bin/holdfast");
  const bare = sh(`'${program}'`);
  expect([bare.code, bare.err]).toEqual([0, ""]);
  expect(bare.out).toBe(sh(`'${program}' help`).out);
  expect(bare.out).toContain("HOLDFAST_DATA");
  expect(sh(`'${program}' --json`).out).toBe(sh(`'${program}' help --json`).out);
  expect(sh(`'${program}' --port 0`)).toMatchObject({ code: 2 });
  expect(existsSync(join(home, ".holdfast"))).toBe(false);
});

test("no text tells anyone to run npx with a name that is not ours", () => {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1e8,
  })
    .split("\n")
    .filter((file) => /\.(md|ts|tsx|mjs|html|json|yml)$/.test(file) && !file.startsWith("test/"));
  expect(files.length).toBeGreaterThan(100);
  const wrong = files.filter(
    (file) =>
      existsSync(join(root, file)) && /npx\s+holdfast/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(wrong).toEqual([]);
});

test("hints of a command with --url leave --url out for exactly the commands without it", () => {
  const { sh } = person();
  const help = sh(`'${join(root, "node_modules/.bin/holdfast")}' help --json`).out;
  const { commands } = JSON.parse(help) as {
    commands: { name: string; flags: Record<string, string> }[];
  };
  for (const { name, flags } of commands) {
    const takes = Object.keys(flags).some((flag) => flag.startsWith("--url"));
    expect([name, takesUrl(name)]).toEqual([name, takes]);
  }
});

test("every command that README and docs show exists, with its flags", () => {
  const { sh } = person();
  const help = sh(`'${join(root, "node_modules/.bin/holdfast")}' help --json`).out;
  const { commands } = JSON.parse(help) as {
    commands: { name: string; flags: Record<string, string> }[];
  };
  const texts = ["README.md", "docs/operating.md", "docs/agents.md"];
  const shown = texts.flatMap((file) => [
    ...readFileSync(join(root, file), "utf8").matchAll(/(?:^|[`&] ?)holdfast ([a-z][^`#\n&]*)/gm),
  ]);
  expect(shown.length).toBeGreaterThan(30);
  for (const [, line = ""] of shown) {
    const [first = "", second = ""] = line.trim().split(/\s+/);
    const command = commands.find(({ name }) => name === `${first} ${second}` || name === first);
    const flags = Object.keys(command?.flags ?? {}).join(" ");
    const unknown = [...line.matchAll(/--[a-z-]+/g)].filter(([flag]) => !flags.includes(flag));
    expect([line, command?.name, unknown.map(String)]).toEqual([line, expect.anything(), []]);
  }
});
