// The negative controls as patches of the product's source: the fault of each, and its place. A
// patch whose text is missing is an error, so that a control can never stop working unnoticed.

/**
 * @typedef {{ file: string, from: string, to: string }} Patch
 * @typedef {{ what: string, patches: readonly Patch[] }} Mutation
 */

const server = "packages/server/src";

/** @type {Readonly<Record<string, Mutation>>} */
export const mutations = {
  normal: {
    what: "(a) synchronous=NORMAL",
    patches: [
      {
        file: `${server}/journal/sqlite/file/database.ts`,
        from: "pragma synchronous = full;",
        to: "pragma synchronous = normal;",
      },
    ],
  },
  directory: {
    what: "(d) directories are not synced",
    patches: [
      {
        file: `${server}/journal/blobs.ts`,
        from: "    await handle.sync();",
        to: "",
      },
      {
        file: `${server}/base/sync.ts`,
        from: "export function syncDirectory(dir: string): void {\n  syncFile(dir);",
        to: "export function syncDirectory(_dir: string): void {",
      },
    ],
  },
  token: {
    what: "(e) tokens are consumed by reading, then writing",
    patches: [
      {
        file: `${server}/session/owner.ts`,
        from: "(rules[name] as Rule<N>)(this.#pending, input, moment)",
        to: "(rules[name] as Rule<N>)(this.durable, input, moment)",
      },
      {
        file: `${server}/journal/sqlite/write/batch-rules.ts`,
        from: "if (stands) return no.alreadyDone(state.id, fact, stands.seq);",
        to: "",
      },
      {
        file: `${server}/journal/sqlite/write/batch-rules.ts`,
        from: "insert into facts",
        to: "insert or ignore into facts",
      },
    ],
  },
  outcome: {
    what: "(f) no constraint on outcomes",
    patches: [
      {
        file: `${server}/session/facts.ts`,
        from: "if (outcomeOf(event.kind) !== undefined) {",
        to: "if (outcomeOf(event.kind) === ('never' as unknown)) {",
      },
    ],
  },
  early: {
    what: "(g) published before it is durable",
    patches: [
      {
        file: `${server}/journal/sqlite/write/groups.ts`,
        from: "    this.#ports.send({ index, body, extras });",
        to: `    this.#ports.send({ index, body, extras });
    const results = new Uint32Array(batches.length * resultFields);
    batches.forEach(({ batch }, i) => { results[i * resultFields] = this.#ports.rowOf(batch); });
    setImmediate(() => this.acknowledged({ results, refusals: [] }, true));`,
      },
      {
        file: `${server}/journal/sqlite/write/groups.ts`,
        from: "  acknowledged({ results, refusals }: AckMessage): void {",
        to: `  acknowledged({ results, refusals }: AckMessage, isEarly = false): void {
    if (!isEarly) return;`,
      },
    ],
  },
  again: {
    what: "(h) recovery interrupts what it interrupted before",
    patches: [
      {
        file: `${server}/session/heads.ts`,
        from: "open: openRun(state) !== null,",
        to: "open: state.run !== null,",
      },
      {
        file: `${server}/session/recovery.ts`,
        from: "  const state = await sessions.state(session);\n  const run = openRun(state);",
        to: "  const state = await sessions.state(session);\n  const run = state.run;",
      },
      {
        file: `${server}/session/recovery.ts`,
        from: "const open = openRun(await sessions.state(session));",
        to: "const open = (await sessions.state(session)).run;",
      },
      {
        file: `${server}/session/rules/rule.ts`,
        from: "  if (run.outcome !== null) {",
        to: "  if (run.outcome === ('never' as unknown)) {",
      },
      {
        file: `${server}/session/facts.ts`,
        from: "if (outcomeOf(event.kind) !== undefined) {",
        to: "if (outcomeOf(event.kind) === ('never' as unknown)) {",
      },
    ],
  },
  checksum: {
    what: "(i) checksums are not looked at",
    patches: [
      {
        file: `${server}/journal/sqlite/file/pages.ts`,
        from: "return pageCrc({ session, firstSeq, count, chain }, bytes) === crc;",
        to: "return crc >= 0;",
      },
    ],
  },
  sequence: {
    what: "(j) expectedSeq is not compared",
    patches: [
      {
        file: `${server}/journal/sqlite/write/batch-rules.ts`,
        from: "if (state.nextSeq !== expectedSeq) return",
        to: "if (expectedSeq < -1e9) return",
      },
    ],
  },
  goingOn: {
    what: "(k) goes on after a failed sync",
    patches: [
      {
        file: `${server}/journal/sqlite/threads/writer.ts`,
        from: '    stop("a commit to the journal", error);',
        to: `    const batches = group.index.length / 6;
    port.postMessage({
      results: new Uint32Array(batches * 2),
      refusals: Array.from({ length: batches }, (_, i) => [i, { code: "journal_full", message: "" }]),
    });`,
      },
    ],
  },
  remains: {
    what: "(l) what a dead holder left is not killed",
    patches: [
      {
        file: `${server}/holder/processes/holder-processes.ts`,
        from: "if (left.length === 0) return true;",
        to: "return true;",
      },
    ],
  },
  patience: {
    what: "(m) an agent that hears no cancel has a minute",
    patches: [
      {
        file: `${server}/base/policy.ts`,
        from: "  cancelGrace: {\n    value: 5 * SECOND,",
        to: "  cancelGrace: {\n    value: 60 * SECOND,",
      },
    ],
  },
  unbounded: {
    what: "(n) no bound on an agent's lines",
    patches: [
      {
        file: `${server}/runtime/holders.ts`,
        from: "graceIdleMs: policy.holderIdle,",
        to: "graceIdleMs: policy.holderIdle,\n      limits: { maxLineBytes: 2 ** 30 },",
      },
    ],
  },
  markers: {
    what: "(o) streams end without a marker",
    patches: [
      {
        file: `${server}/streams/streams.ts`,
        from: "for (const stream of [...this.#open]) stream.restart();",
        to: "for (const stream of [...this.#open]) stream.cut();",
      },
    ],
  },
  page: {
    what: "(p) another build of the page, from HOLDFAST_TEST_APP",
    patches: [
      {
        file: `${server}/http/shell.ts`,
        from: 'fileURLToPath(new URL("../../app/", import.meta.url))',
        to: '(process.env.HOLDFAST_TEST_APP ?? "").concat("/")',
      },
    ],
  },
  origin: {
    what: "(q) pages of other origins are not told apart",
    patches: [
      {
        file: `${server}/access/guard/guard.ts`,
        from: "  const own = origin === null",
        to: "  if (host !== '') return null;\n  const own = origin === null",
      },
    ],
  },
  name: {
    what: "(r) the host answers to any name",
    patches: [
      {
        file: `${server}/access/guard/guard.ts`,
        from: '  const host = lower(headers.get("host") ?? "");\n  if (ours',
        to: '  const host = lower(headers.get("host") ?? "");\n  if (host !== "") return null;\n  if (ours',
      },
    ],
  },
  watchdog: {
    what: "(s) a page waits in silence for ever",
    patches: [
      {
        file: "packages/client/src/live/link.ts",
        from: "this.#limit(QUIET, () => this.probe());",
        to: "this.#cancel();",
      },
    ],
  },
  wake: {
    what: "(t) a page that wakes up does not ask",
    patches: [
      {
        file: "packages/client/src/live/feed.ts",
        from: "watchWake(this.clock, this.#page, () => this.wake())",
        to: "watchWake(this.clock, {}, () => {})",
      },
    ],
  },
  resent: {
    what: "(u) what is sent again is sent as something new",
    patches: [
      {
        file: "packages/client/src/outbox/deliver.ts",
        from: "  const once = { idempotencyKey: id, signal };",
        to: "  const once = { signal };",
      },
      {
        file: "packages/client/src/outbox/deliver.ts",
        from: "clientId: id }",
        to: "clientId: String(Math.random()) }",
      },
    ],
  },
  unchecked: {
    what: "(v) a page does not look at the journal's checksum",
    patches: [
      {
        file: "packages/client/src/session/session-store.ts",
        from: "if (chain === this.#replica.chain)",
        to: "if (chain !== -1)",
      },
    ],
  },
  together: {
    what: "(w) tabs do not take turns to revive",
    patches: [
      {
        file: "packages/client/src/session/resume-attempt.ts",
        from: "const ask = () => withLock(",
        to: "const ask = () => ((..._: unknown[]) => this.#ask())(",
      },
    ],
  },
  unseen: {
    what: "(x) letters that nobody sees are left in",
    patches: [
      {
        file: "packages/protocol/src/words/visible.ts",
        from: "return text.replace(hidden, shown);",
        to: "return text;",
      },
    ],
  },
  leading: {
    what: "(y) links of agents lead anywhere",
    patches: [
      {
        file: "packages/web/src/text/links.ts",
        from: "return allowed.has(url.protocol) ? url.href : null;",
        to: "return url.href;",
      },
    ],
  },
  sunken: {
    what: "(z) the buttons of a decision are pushed out of the screen by its text",
    patches: [
      {
        file: "packages/web/src/components/decision/decision-tray.tsx",
        from: "tray slide-up flex min-h-0 flex-col",
        to: "tray slide-up flex shrink-0 flex-col",
      },
    ],
  },
  unresumed: {
    what: "(aa) the banner of interrupted work has no Resume",
    patches: [
      {
        file: "packages/web/src/components/session/resume-banner.tsx",
        from: 'isBusy ? "Resuming …" : "Resume"',
        to: '""',
      },
    ],
  },
  aged: {
    what: "(ab) sessions are listed by age, whatever they need",
    patches: [
      {
        file: `${server}/journal/sqlite/read/heads.ts`,
        from: "const found = this.#needing(tenant, place, filter, limit + 1);",
        to: "const found: Standing[] = [];",
      },
      {
        file: `${server}/journal/sqlite/read/heads.ts`,
        from: 'filter: filter.and("ifnull(need, 0) = 0"),',
        to: "filter,",
      },
    ],
  },
  stuck: {
    what: "(ad) a failed run cannot be continued from where it broke",
    patches: [
      {
        file: "packages/web/src/components/transcript/end-row.tsx",
        from: "              Continue from here",
        to: "",
      },
    ],
  },
  unpaused: {
    what: "(ae) a run that was put away does not say so",
    patches: [
      {
        file: "packages/web/src/components/session/paused-bar.tsx",
        from: '"Generation paused"',
        to: '""',
      },
      {
        file: "packages/web/src/components/transcript/small-rows.tsx",
        from: "Generation paused",
        to: "",
      },
    ],
  },
  thrown: {
    what: "(ac) a notification that a browser refuses is thrown",
    patches: [
      {
        file: "packages/web/src/settings/notify.ts",
        from: "  } catch {\n    try {\n      const registration",
        to: "  } catch (refused) {\n    queueMicrotask(() => {\n      throw refused;\n    });\n    try {\n      const registration",
      },
    ],
  },
  absorbed: {
    what: "(af) the host answers nobody for 300 ms with each large frame",
    patches: [
      {
        file: `${server}/runtime/ingest.ts`,
        from: "    for (const frame of frames) {\n      if (frame.n <= this.#to) continue;",
        to:
          "    const from = process.threadCpuUsage();\n" +
          "    while (bytes > 500_000 && process.threadCpuUsage(from).user < 300_000);\n" +
          "    for (const frame of frames) {\n      if (frame.n <= this.#to) continue;",
      },
    ],
  },
  lookedTwice: {
    what: "(ag) a workspace's link is followed once to be judged, and again to be used",
    patches: [
      {
        file: `${server}/workspace/workspaces.ts`,
        from: "return this.#refusalOf(real) ?? real;",
        to: "return this.#refusalOf(real) ?? (await realpath(path).catch(() => real));",
      },
    ],
  },
  opensByName: {
    what: "(ah) a file that was opened is not asked where it lies",
    patches: [
      {
        file: `${server}/workspace/inside.ts`,
        from: "if (!liesIn(await placeOf(handle, real), root)) throw outside();",
        to: "",
      },
    ],
  },
  flickering: {
    what: "(ai) the page shows every attempt to reach the host",
    patches: [
      {
        file: "packages/web/src/pages/hooks/use-connection.ts",
        from: "return away.current ?? connection;",
        to: "return connection;",
      },
    ],
  },
};
