import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { type QuickTimers, quickTimers } from "../test/quick-timers.ts";
import {
  type Answer,
  frame,
  named,
  type Reply,
  type ScriptedHost,
  scriptedHost,
} from "../test/scripted-host.ts";
import { ApiError, StreamError } from "./errors.ts";
import { type Followed, type FollowSettings, follow, type StreamState } from "./event-stream.ts";

let host: ScriptedHost | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

interface Heard {
  readonly followed: Followed[];
  readonly states: StreamState[];
  readonly timers: QuickTimers;
  readonly host: ScriptedHost;
  readonly error: unknown;
}

interface Options extends FollowSettings {
  readonly run?: string;
  readonly timers?: QuickTimers;
}

/** Follows the stream to its end or error. */
async function hear(answer: Answer, options: Options = {}): Promise<Heard> {
  const { run, timers = quickTimers(), ...settings } = options;
  host = await scriptedHost(answer);
  const followed: Followed[] = [];
  const states: StreamState[] = [];
  const onState = (state: StreamState) => states.push(state);
  const target = run === undefined ? { session: "sess_1" } : { run };
  let error: unknown;
  try {
    const access = { url: host.url, token: "secret", timers, onState };
    for await (const one of follow({ ...access, ...target, ...settings })) followed.push(one);
  } catch (thrown) {
    error = thrown;
  }
  return { followed, states, timers, host, error };
}

const seqs = ({ followed }: Heard) =>
  followed.flatMap((one) => (one.type === "event" ? [one.seq] : []));
const beat = named("heartbeat", { seq: 0, chain: null, now: "", foldVersion: 1 });
const done = named("end", { reason: "done" });

async function say(reply: Reply, ...frames: string[]): Promise<void> {
  await reply.stream().send(frames.join(""));
}

describe("following", () => {
  test("yields events, heartbeats and tokens, and finishes with the end", async () => {
    const heartbeat = { seq: 1, chain: 9, now: "2026-11-15T00:00:01.000Z", foldVersion: 1 };
    const heard = await hear((_, reply) =>
      say(
        reply,
        ": hello\n\n",
        frame(1),
        named("heartbeat", heartbeat),
        named("token", { runId: "run_1", token: "rt" }),
        named("invented_later", {}),
        done,
      ),
    );
    expect(heard.error).toBeUndefined();
    expect(heard.followed).toMatchObject([
      { type: "event", seq: 1, event: { seq: 1, kind: "text.appended" } },
      { type: "heartbeat", seq: 1, now: heartbeat.now, data: heartbeat },
      { type: "token", data: { token: "rt" } },
      { type: "end", reason: "done" },
    ]);
    expect(heard.states).toEqual([{ state: "connecting" }, { state: "live" }]);
    expect(heard.host.asked).toMatchObject([
      { path: "/api/sessions/sess_1/stream", headers: { authorization: "Bearer secret" } },
    ]);
  });

  test("continues after the last event it received, and drops repeated ones", async () => {
    const heard = await hear(
      async (_, reply, n) => {
        if (n === 2) return say(reply, frame(4), frame(5), frame(6), done);
        await say(reply, frame(4), frame(5));
        reply.hangUp();
      },
      { after: 3 },
    );
    expect(seqs(heard)).toEqual([4, 5, 6]);
    expect(heard.host.asked.map(({ query }) => query.get("after"))).toEqual(["3", "5"]);
  });

  test("follows a run from its first event to its outcome", async () => {
    const heard = await hear(
      async (_, reply, n) => {
        if (n === 1) return reply.hangUp();
        if (n === 3) return reply.nothing();
        await say(reply, frame(40), frame(41));
        reply.end();
      },
      { run: "run_1" },
    );
    expect(seqs(heard)).toEqual([40, 41]);
    expect(heard.followed.at(-1)).toEqual({ type: "end", reason: "done" });
    expect(heard.host.asked.map(({ path, query }) => `${path} ${query}`)).toEqual([
      "/api/runs/run_1/stream ",
      "/api/runs/run_1/stream ",
      "/api/runs/run_1/stream after=41",
    ]);
  });

  test("continues after a reset at the base's seq", async () => {
    const heard = await hear(async (_, reply, n) => {
      if (n === 2) return say(reply, frame(102), done);
      await say(reply, named("reset", { seq: 100, chain: 1, state: {}, messages: [] }), frame(101));
      reply.hangUp();
    });
    expect(heard.followed.map(({ type }) => type)).toEqual(["reset", "event", "event", "end"]);
    expect(heard.host.asked[1]?.query.get("after")).toBe("101");
  });

  test("decodes characters that arrive byte by byte", async () => {
    const bytes = new TextEncoder().encode(frame(1, "é→🙂") + done);
    const body = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const fetch = async () => new Response(body);
    const heard = [];
    for await (const one of follow({ url: "http://host", token: "", session: "s", fetch })) {
      heard.push(one);
    }
    expect(heard).toMatchObject([{ event: { text: "é→🙂" } }, { type: "end" }]);
  });

  test("ends when the session is gone", async () => {
    const heard = await hear((_, reply) => say(reply, named("end", { reason: "gone", seq: 3 })));
    expect(heard.followed).toEqual([{ type: "end", reason: "gone" }]);
  });

  test("closes its connection when the consumer stops iterating", async () => {
    host = await scriptedHost((_, reply) => say(reply, frame(1), frame(2)));
    for await (const _ of follow({ url: host.url, token: "", session: "s" })) break;
    await expect.poll(() => host?.open()).toBe(0);
  });

  test("ends silently when it is aborted, in every waiting state", async () => {
    const timers = quickTimers();
    for (const answer of [
      (_: unknown, reply: Reply) => say(reply, frame(1)),
      () => undefined,
      (_: unknown, reply: Reply) => reply.problem(503, "journal_closed", "Going down."),
    ] satisfies Answer[]) {
      const controller = new AbortController();
      const heard = await hear(
        async (asked, reply, n) => {
          await answer(asked, reply);
          if (n === 1) setTimeout(() => controller.abort(), 20);
        },
        { signal: controller.signal, timers },
      );
      expect(heard.error).toBeUndefined();
      expect(heard.followed.every(({ type }) => type === "event")).toBe(true);
      await host?.close();
    }
  });
});

describe("a lost connection", () => {
  test("is a state with its reason, and pauses grow until a frame arrives", async () => {
    const heard = await hear(async (_, reply, n) => {
      if (n <= 8) return reply.problem(503, "journal_closed", "Going down.");
      if (n === 9) {
        await say(reply, beat, frame(1));
        return reply.hangUp();
      }
      await say(reply, beat, frame(2), done);
    });
    expect(seqs(heard)).toEqual([1, 2]);
    const pauses = [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 250];
    expect(heard.timers.pauses).toEqual(pauses);
    const away = heard.states.filter((one) => one.state === "away");
    expect(away.map(({ retryInMs }) => retryInMs)).toEqual(pauses);
    expect(away[0]?.error).toMatchObject({ code: "journal_closed" });
  });

  test("half of a pause is random", async () => {
    const timers = quickTimers(() => 0);
    await hear((_, reply, n) => (n === 1 ? reply.hangUp() : say(reply, done)), { timers });
    expect(timers.pauses).toEqual([125]);
  });

  test("is detected after too long a silence, before the answer and after it", async () => {
    const timers = quickTimers();
    const heard = await hear(
      async (_, reply, n) => {
        if (n === 3) return say(reply, frame(2), done);
        if (n === 2) await say(reply, frame(1));
        // Runs after the client has read what was sent and waits again.
        setTimeout(() => timers.runOut(), 50);
      },
      { timers },
    );
    expect(seqs(heard)).toEqual([1, 2]);
    const away = heard.states.filter((one) => one.state === "away");
    expect(away).toHaveLength(2);
    expect(away[1]?.error.message).toBe("The host was silent for 40 s.");
  });

  test.each(["recycle", "restart"])("is reconnected at once after %s", async (reason) => {
    const heard = await hear(async (_, reply, n) => {
      if (n === 3) return say(reply, frame(3), done);
      await say(reply, beat, frame(n), named("end", { reason }));
    });
    expect(seqs(heard)).toEqual([1, 2, 3]);
    expect(heard.timers.pauses).toEqual([]);
    expect(heard.states.some(({ state }) => state === "away")).toBe(false);
  });

  test("is followed by a pause when every connection ended without a useful frame", async () => {
    const heard = await hear((_, reply, n) =>
      say(reply, beat, n === 4 ? done : named("end", { reason: "recycle" })),
    );
    expect(heard.timers.pauses).toEqual([250, 500, 1000]);
  });
});

describe("a refusal", () => {
  test.each([
    [401, "unauthorized"],
    [403, "forbidden"],
    [404, "session_not_found"],
    [410, "session_ended"],
    [400, "cursor_ahead"],
    [503, "session_damaged"],
  ])("%i %s ends it with the host's error", async (status, code) => {
    const heard = await hear((_, reply) => reply.problem(status, code, "No."));
    expect(heard.error).toBeInstanceOf(ApiError);
    expect(heard.error).toMatchObject({ status, code, message: "No." });
    expect(heard.host.asked).toHaveLength(1);
  });

  test("in the middle of a stream ends it, too, unless it is temporary", async () => {
    const error = (code: string) => named("error", { code, message: "No." });
    const heard = await hear(async (_, reply, n) => {
      if (n === 1) return say(reply, frame(1), error("internal"));
      await say(reply, frame(2), error("unauthorized"));
    });
    expect(seqs(heard)).toEqual([1, 2]);
    expect(heard.error).toMatchObject({ status: 401, code: "unauthorized", message: "No." });
  });
});

describe("an invalid stream", () => {
  const cases: [string, string][] = [
    ["a gap", frame(5)],
    ["another id than the event's", frame(3, "x", 4)],
    ["an id that is no number", frame(3, "x", "3; rm")],
    ["no event", "data: {}\n\n"],
    ["no JSON", "data: {\n\n"],
    ["no object", "data: [1]\n\n"],
    ["a reset to nowhere", named("reset", {})],
  ];

  test.each(cases)(
    "(%s) is requested again once, and continues when it is valid then",
    async (_, bad) => {
      const heard = await hear(async (_, reply, n) => {
        if (n === 1) return say(reply, frame(1), frame(2), bad, frame(3));
        await say(reply, frame(3), done);
      });
      expect(heard.error).toBeUndefined();
      expect(seqs(heard)).toEqual([1, 2, 3]);
      expect(heard.host.asked[1]?.query.get("after")).toBe("2");
    },
  );

  test.each(cases)("(%s) twice at the same place is an error that says so", async (_, bad) => {
    const heard = await hear(async (_, reply, n) => {
      await say(reply, ...(n === 1 ? [frame(1), frame(2)] : []), bad);
    });
    expect(heard.error).toBeInstanceOf(StreamError);
    expect(String(heard.error)).toMatch(/an invalid stream after event 2 twice: /);
    expect(seqs(heard)).toEqual([1, 2]);
  });
});

test("each event is yielded once and in order, wherever the connection is cut", async () => {
  const COUNT = 150;
  // Characters of one to four bytes, so that cuts fall inside them, and every kind of line end.
  const text = (seq: number) => `${seq} é→🙂 \n\r\u2028 ${"x".repeat(seq % 7)}`;
  const misdeed = fc.record({
    how: fc.constantFrom("hangUp", "end", "recycle", "gap", "refuse", "nothing"),
    bytes: fc.nat(900),
    repeats: fc.nat(4),
    beats: fc.boolean(),
  });
  let cuts = 0;

  await fc.assert(
    fc.asyncProperty(
      fc.array(misdeed, { minLength: 5, maxLength: 60, size: "max" }),
      async (misdeeds) => {
        // A gap twice at the same seq would be an error of the host, so each occurs once.
        const gaps = new Set<number>();
        const heard = await hear(async ({ query }, reply, n) => {
          const plan = misdeeds[n - 1];
          if (plan?.how === "refuse") return reply.problem(503, "journal_closed", "Going down.");
          if (plan?.how === "nothing") return reply.hangUp();
          const from = Math.max(0, Number(query.get("after")) - (plan?.repeats ?? 0));
          const frames = Array.from({ length: COUNT - from }, (_, i) =>
            frame(from + i + 1, text(from + i + 1)),
          );
          if (plan?.how === "gap") {
            const at = plan.bytes % COUNT;
            if (!gaps.has(at) && at > Number(query.get("after"))) frames.splice(at - from, 1);
            gaps.add(at);
          }
          if (plan?.beats) frames.splice(1, 0, named("heartbeat", { seq: COUNT }));
          const all = Buffer.from(frames.join("") + done);
          if (plan === undefined) return reply.stream().send(all);
          cuts++;
          const part = all.subarray(0, plan.bytes);
          if (plan.how === "recycle") {
            const whole = part.toString().split("\n\n").slice(0, -1);
            return say(
              reply,
              ...whole.map((one) => `${one}\n\n`),
              named("end", { reason: "recycle" }),
            );
          }
          await reply.stream().send(part);
          if (plan.how === "end") reply.end();
          else reply.hangUp();
        });
        await heard.host.close();
        host = undefined;
        expect(heard.error).toBeUndefined();
        expect(heard.followed.flatMap((one) => (one.type === "event" ? [one.event] : []))).toEqual(
          Array.from({ length: COUNT }, (_, i) =>
            expect.objectContaining({ seq: i + 1, text: text(i + 1) }),
          ),
        );
      },
    ),
    { numRuns: 80 },
  );
  expect(cuts).toBeGreaterThan(1000);
});
