// Loaded before a host with `--import`: patches the product's sources as they are read, in
// this process and in its threads. The product itself knows nothing of it.
import { registerHooks } from "node:module";
import { mutations } from "./mutations.mjs";

const mutation = mutations[process.env.MUTANT ?? ""];
if (mutation === undefined) throw new Error(`there is no mutant ${process.env.MUTANT}`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const patches = mutation.patches.filter(({ file }) => url.endsWith(`/${file}`));
    if (patches.length === 0) return loaded;
    let source = Buffer.from(loaded.source).toString();
    for (const { file, from, to } of patches) {
      if (!source.includes(from)) throw new Error(`mutant: ${file} does not hold: ${from}`);
      source = source.replace(from, () => to);
    }
    return { ...loaded, source };
  },
});
