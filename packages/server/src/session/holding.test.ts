import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Replay } from "../agents/replay.ts";
import { Ground } from "../ground.ts";
import { readIdentity } from "../holder/identity.ts";
import { isSameProcess, type ProcessIdentity } from "../holder/processes.ts";
import { Holding } from "./holding.ts";
import { noHolders } from "./recovery.ts";
import { endPlaces, openPlace, type Place } from "./testing/place.ts";

afterEach(endPlaces);

function holdingOf({ host, data, sessions, errors }: Place): Holding {
  return new Holding({
    ...{ root: join(data, "holders"), version: "test", umask: 0o022, ground: new Ground([]) },
    ...{ sessions, random: (bytes: number) => new Uint8Array(bytes) },
    blobs: (host as NonNullable<typeof host>).blobs,
    onToken: () => undefined,
    look: async () => ({ truth: null, short: [], lost: null }),
    mark: async () => null,
    contents: async () => null,
    loginOf: () => null,
    onError: (_session, error) => errors.push(error),
  });
}

test("a holder that is let go of while its agent's exit is written does not outlive holder.exited [P24]", async () => {
  // Whoever runs a host of its own beside it would settle this holder, too.
  const p = await openPlace({ holders: noHolders });
  const session = await p.create();
  const holderId = p.sessions.newId("holder");
  const holding = holdingOf(p);
  await p.sessions.execute(session, "launchHolder", { holderId });
  const held = await holding.spawn({ session, holderId }, new Replay());
  const identity = readIdentity(holding.dir(holderId)) as unknown as ProcessIdentity;
  const abandoned = Promise.withResolvers<void>();
  const { journal } = p.sessions;
  const append = journal.append.bind(journal);
  journal.append = (batch) => {
    if (batch.text.includes('"kind":"agent.exited"')) {
      holding.abandon({ session, holderId }).then(abandoned.resolve, abandoned.reject);
    }
    return append(batch);
  };
  held.launch({ command: "/bin/true", args: [], cwd: p.data, env: {} });
  await abandoned.promise;
  await p.kind(session, "holder.exited");
  expect(isSameProcess(identity)).toBe(false);
});
