// Loaded before a host with `--import`: patches the product's sources as they are read, in this
// process and in its threads. The product itself is unchanged.
import { registerHooks } from "node:module";
import { mutations } from "./mutations.mjs";

const { MUTANT, MUTANT_PATCHES } = process.env;
const patches =
  MUTANT_PATCHES === undefined ? mutations[MUTANT ?? ""]?.patches : JSON.parse(MUTANT_PATCHES);
if (patches === undefined) throw new Error(`there is no mutant ${MUTANT}`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const own = patches.filter(({ file }) => url.endsWith(`/${file}`));
    if (own.length === 0) return loaded;
    let source = Buffer.from(loaded.source).toString();
    for (const { file, from, to } of own) {
      if (!source.includes(from)) throw new Error(`mutant: ${file} does not hold: ${from}`);
      source = source.replace(from, () => to);
    }
    return { ...loaded, source };
  },
});
